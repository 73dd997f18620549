'use strict'

const path = require('node:path')
const { Failure } = require('../failure')
const { ROUTE_OPTION, SOURCES_OPTION } = require('../profile-file')
const { OUTPUT_OPTIONS } = require('../output/destination')
const { WIDE_OPTION } = require('../output/table')
const { JSON_OPTION, REACH_OPTIONS } = require('../reach/reach')

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

/** @type {Command['options']} */
const OF_ALL = Object.freeze({
  json: JSON_OPTION,
  all: { type: 'boolean', meaning: 'every row, also those that did not change; of heap snapshots every class, also the noise of V8' },
  wide: WIDE_OPTION,
  ...OUTPUT_OPTIONS
})

/** @type {Command} */
module.exports = {
  name: 'diff',
  usage: '<before> [<between>] <after> | --mark <text> <pid|url>',
  help: 'of CPU profiles: what got hotter; of heap snapshots: what grew, and who keeps it; of heap profiles and histograms',
  options: {
    ...OF_ALL,
    html: { type: 'string', meaning: 'of heap snapshots: also a report as one HTML file' },
    classic: { type: 'boolean', meaning: 'of heap snapshots: names and sizes as DevTools showed them before 2024' },
    root: { type: 'string', meaning: 'of profiles: folder that files are shown relative to' },
    sources: { ...SOURCES_OPTION, meaning: `of profiles: ${SOURCES_OPTION.meaning}` },
    route: { ...ROUTE_OPTION, meaning: `of CPU profiles: ${ROUTE_OPTION.meaning}` },
    mark: { type: 'string', meaning: 'of a process: its CPU profile before and after a mark, as far as its recorder reaches' },
    ...REACH_OPTIONS
  },
  readsFiles: true,
  positionals: { min: 0, max: 3 },
  examples: [
    'loopscope diff before.cpuprofile after.cpuprofile',
    'loopscope diff before.cpuprofile after.cpuprofile -o diff.html',
    'loopscope diff before.heapsnapshot after.heapsnapshot --html leak.html',
    "loopscope diff --mark 'deploy 42' 1234"
  ],
  run
}

/** @param {Invocation} invocation */
async function run (invocation) {
  const { positionals: files, values } = invocation
  if (values.mark !== undefined) return ofMark(invocation)
  if (files.length < 2) throw new Failure('usage', `diff takes two files, got ${files.length}.`, 'Or --mark <text> and a process. See `loopscope diff --help`.')
  const extensions = files.map(file => path.extname(file))
  const difference = DIFFERENCES[extensions[extensions.length - 1]] ?? DIFFERENCES['.cpuprofile']
  if (extensions.some(extension => (DIFFERENCES[extension] ?? DIFFERENCES['.cpuprofile']) !== difference)) {
    const remedy = `Wanted files of one kind: ${Object.keys(DIFFERENCES).join(', ')}.`
    throw new Failure('usage', `${files.join(', ')} are not of one kind.`, remedy)
  }
  if (files.length > difference.max) throw new Failure('usage', `${files.length} files are too many.`, `Wanted ${difference.max} at most.`)
  assertOptions(values, difference.options, path.basename(files[0]))
  return difference.run(invocation)
}

/** @param {Invocation} invocation */
function ofMark (invocation) {
  const { positionals, values } = invocation
  if (positionals.length > 1) throw new Failure('usage', 'diff --mark takes one process, no files.', 'See `loopscope diff --help`.')
  const difference = require('../differences/mark')
  assertOptions(values, ['mark', ...Object.keys(REACH_OPTIONS), ...difference.options], '--mark')
  return difference.run(invocation)
}

/**
 * @param {Record<string, any>} values
 * @param {readonly string[]} known  beside those of all
 * @param {string} what
 */
function assertOptions (values, known, what) {
  const foreign = Object.keys(values).find(option => !(option in OF_ALL) && !known.includes(option))
  if (foreign !== undefined) throw new Failure('usage', `--${foreign} does not go with ${what}.`, 'Run `loopscope diff --help`.')
}
