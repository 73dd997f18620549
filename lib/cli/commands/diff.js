'use strict'

const path = require('node:path')
const { Failure } = require('../failure')
const { JSON_OPTION } = require('../reach/reach')

/** @import { Command, Invocation } from '../commands' */

/**
 * By the extension of the files. A new one is a file in differences/, a line here, and one test.
 * @type {Readonly<Record<string, { options: readonly string[], max: number, run: (invocation: Invocation) => Promise<number | void> }>>}
 */
const DIFFERENCES = Object.freeze({
  '.cpuprofile': require('../differences/cpu'),
  '.heapprofile': require('../differences/heap-profile'),
  '.json': require('../differences/histogram'),
  '.heapsnapshot': require('../differences/heap'),
  '.heapindex': require('../differences/heap')
})

/** @type {Command} */
module.exports = {
  name: 'diff',
  usage: '<before> [<between>] <after>',
  help: 'of CPU profiles: what got hotter; of heap snapshots: what grew, and who keeps it; of heap profiles and histograms',
  options: {
    json: JSON_OPTION,
    html: { type: 'string', meaning: 'of heap snapshots: also a report as one HTML file' },
    force: { type: 'boolean', meaning: 'write over a file that is there' },
    all: { type: 'boolean', meaning: 'of heap snapshots: every class, also the noise of V8' },
    classic: { type: 'boolean', meaning: 'of heap snapshots: names and sizes as DevTools showed them before 2024' },
    root: { type: 'string', meaning: 'of profiles: folder that files are shown relative to' }
  },
  positionals: { min: 2, max: 3 },
  examples: [
    'loopscope diff before.cpuprofile after.cpuprofile',
    'loopscope diff before.heapsnapshot after.heapsnapshot --html leak.html'
  ],
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const { positionals: files, values } = invocation
  const extensions = files.map(file => path.extname(file))
  const difference = DIFFERENCES[extensions[extensions.length - 1]] ?? DIFFERENCES['.cpuprofile']
  if (extensions.some(extension => (DIFFERENCES[extension] ?? DIFFERENCES['.cpuprofile']) !== difference)) {
    const remedy = `Wanted files of one kind: ${Object.keys(DIFFERENCES).join(', ')}.`
    throw new Failure('usage', `${files.join(', ')} are not of one kind.`, remedy)
  }
  if (files.length > difference.max) throw new Failure('usage', `${files.length} files are too many.`, `Wanted ${difference.max} at most.`)
  const foreign = Object.keys(values).find(option => !difference.options.includes(option))
  if (foreign !== undefined) {
    throw new Failure('usage', `--${foreign} does not go with ${path.basename(files[0])}.`, 'Run `loopscope diff --help`.')
  }
  return difference.run(invocation)
}
