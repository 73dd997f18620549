'use strict'

const { isHeapProfileFile, readHeapProfile, readProfile } = require('../files/profile-file')

/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'report',
  usage: '<file.cpuprofile|file.heapprofile|->',
  help: 'a CPU profile as text: whose time it was, and who called it; or a heap profile: who allocated',
  options: { root: { type: 'string', meaning: 'folder that files are shown relative to' } },
  positionals: { min: 1, max: 1 },
  examples: ['loopscope report cpu.cpuprofile', 'loopscope profile 1234 -f cpuprofile -o - | loopscope report -'],
  run
}

/** @param {Invocation} invocation */
async function run ({ positionals: [file], values, terminal }) {
  const context = { title: file, ...(values.root && { appRoot: values.root }) }
  terminal.text(isHeapProfileFile(file) ? heapText(file, context) : cpuText(file, context))
}

/**
 * @param {string} file
 * @param {{ title: string, appRoot?: string }} context
 */
function cpuText (file, context) {
  return require('../../shared/formats/text').encodeText(readProfile(file), context)
}

/**
 * @param {string} file
 * @param {{ title: string, appRoot?: string }} context
 */
function heapText (file, context) {
  const { HEAP_FORMATS } = require('../../shared/formats/heap-profile')
  return HEAP_FORMATS.text.encode({ profile: readHeapProfile(file), before: null }, context)
}
