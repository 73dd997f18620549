'use strict'

const { readProfile } = require('../profile-file')

/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'report',
  usage: '<file.cpuprofile|->',
  help: 'a CPU profile as text: whose time it was, and who called it',
  options: { root: { type: 'string', meaning: 'folder that files are shown relative to' } },
  positionals: { min: 1, max: 1 },
  examples: ['loopscope report cpu.cpuprofile', 'loopscope profile 1234 -f cpuprofile -o - | loopscope report -'],
  run
}

/** @param {Invocation} invocation */
async function run ({ positionals: [file], values, terminal }) {
  const { encodeText } = require('../../formats/text')
  terminal.write(encodeText(readProfile(file), { title: file, ...(values.root && { appRoot: values.root }) }))
}
