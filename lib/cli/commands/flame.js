'use strict'

const path = require('node:path')
const { writeOutput } = require('../output/output-file')
const { isHeapProfileFile, readHeapProfile, readProfile } = require('../files/profile-file')

/** @import { Command, Invocation } from '../commands' */

/** @type {Command} */
module.exports = {
  name: 'flame',
  usage: '<file.cpuprofile|file.heapprofile|->',
  help: 'a CPU or heap profile as a flame graph: one HTML file',
  options: {
    output: { type: 'string', short: 'o', meaning: 'file to write, - for standard output (default: its own name with .html)' },
    force: { type: 'boolean', meaning: 'write over a file that is there' },
    root: { type: 'string', meaning: 'folder that files are shown relative to' }
  },
  positionals: { min: 1, max: 1 },
  examples: ['loopscope flame cpu.cpuprofile'],
  run
}

/** @param {Invocation} invocation */
async function run ({ positionals: [file], values, terminal }) {
  const context = { title: path.basename(file), ...(values.root && { appRoot: values.root }) }
  const html = isHeapProfileFile(file) ? heapGraph(file, context) : cpuGraph(file, context)
  const output = values.output ?? (file === '-' ? '-' : `${file.replace(/\.(cpu|heap)profile$/, '')}.html`)
  writeOutput(output, html, { force: values.force === true, terminal })
}

/**
 * @param {string} file
 * @param {{ title: string, appRoot?: string }} context
 */
function cpuGraph (file, context) {
  return require('../../shared/formats/flamegraph').encodeFlameGraph(readProfile(file), context)
}

/**
 * @param {string} file
 * @param {{ title: string, appRoot?: string }} context
 */
function heapGraph (file, context) {
  const { HEAP_FORMATS } = require('../../shared/formats/heap-profile')
  return HEAP_FORMATS.flamegraph.encode({ profile: readHeapProfile(file), before: null }, context)
}
