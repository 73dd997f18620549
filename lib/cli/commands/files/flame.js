'use strict'

const path = require('node:path')
const { PROFILE_FILE_OPTIONS, encodeProfileFile } = require('../../profile-file')
const { OUTPUT_OPTIONS, openDestination } = require('../../output/destination')

/** @import { Command, Invocation } from '../../commands' */

/** @type {Command} */
module.exports = {
  name: 'flame',
  usage: '<file.cpuprofile|file.heapprofile|->',
  help: 'turn a CPU or heap profile into a flame graph, as one HTML file',
  options: { ...PROFILE_FILE_OPTIONS, ...OUTPUT_OPTIONS },
  readsFiles: true,
  positionals: { min: 1, max: 1 },
  examples: ['loopscope flame cpu.cpuprofile -o cpu.html', "loopscope flame cpu.cpuprofile --route 'POST /login' > login.html"],
  makesFile: true,
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const { positionals: [file], values, terminal } = invocation
  const name = file === '-' ? 'flame.html' : `${path.basename(file).replace(/\.(cpu|heap)profile$/, '')}.html`
  const destination = openDestination(invocation, { name })
  await destination.write(await encodeProfileFile(file, 'flamegraph', { values, terminal, title: path.basename(file) }))
}
