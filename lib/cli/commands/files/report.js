'use strict'

const { PROFILE_FILE_OPTIONS, encodeProfileFile } = require('../../profile-file')
const { OUTPUT_OPTIONS } = require('../../output/destination')

/** @import { Command, Invocation } from '../../commands' */

/** @type {Command} */
module.exports = {
  name: 'report',
  usage: '<file.cpuprofile|file.heapprofile|->',
  help: 'print a CPU profile as text: which functions used the time, and their callers; or a heap profile: which functions allocated',
  options: { ...PROFILE_FILE_OPTIONS, ...OUTPUT_OPTIONS },
  readsFiles: true,
  positionals: { min: 1, max: 1 },
  examples: ['loopscope report cpu.cpuprofile', 'loopscope profile 1234 -f cpuprofile -o - | loopscope report -'],
  run
}

/** @param {Invocation} invocation */
async function run ({ positionals: [file], values, terminal }) {
  terminal.text(await encodeProfileFile(file, 'text', { values, terminal, title: file }))
}
