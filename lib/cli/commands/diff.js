'use strict'

const path = require('node:path')
const { Failure } = require('../failure')
const { OUTPUT_OPTIONS, openDestination } = require('../output/destination')
const { showShare } = require('../output/display')
const { WIDE_OPTION } = require('../output/table')
const { ROUTE_OPTION, SOURCES_OPTION, createSourceMapping, explainFileErrors, ofRoute, readHeapProfile, readJson, readProfile } = require('../profile-file')
const { JSON_OPTION, CONNECT_OPTIONS, connect } = require('../connect/connect')
const { showBytes } = require('../../base/sizes')
const { diffProfiles, diffHistograms, isHistogram, diffHeapProfiles } = require('../../formats/differences')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Command, Invocation } from '../commands' */
/** @import { Column } from '../output/table' */
/** @import { DiffRow } from '../../formats/differences' */

const MAX_ROWS = 20
const ALL_CLASSES = Infinity
const MIN_SHARE = 0.005 // less is sampling noise
const FAR = 1.25 // times the busy share: shares of it are misread
const HISTOGRAM = 'a heap histogram of `loopscope heap --kind histogram`'

/** @typedef {{ options: readonly string[], max: number, run: (invocation: Invocation) => Promise<number | void> }} Difference */

/** @type {Difference} */
const SNAPSHOT_DIFFERENCE = Object.freeze({ options: ['html', 'classic'], max: 3, run: diffSnapshots })

/** By the extension of the files. @type {Readonly<Record<string, Difference>>} */
const DIFFERENCES = Object.freeze({
  '.cpuprofile': { options: ['root', 'route', 'sources'], max: 2, run: diffCpuProfiles },
  '.heapprofile': { options: ['root', 'sources'], max: 2, run: diffHeapProfileFiles },
  '.json': { options: [], max: 2, run: diffHistogramFiles },
  '.heapsnapshot': SNAPSHOT_DIFFERENCE,
  '.heapindex': SNAPSHOT_DIFFERENCE
})

/** @type {Command['options']} */
const COMMON_OPTIONS = Object.freeze({
  json: JSON_OPTION,
  all: { type: 'boolean', meaning: 'show every row, even if it did not change; for heap snapshots every class, even those internal to V8' },
  wide: WIDE_OPTION,
  ...OUTPUT_OPTIONS
})

/** @type {Command} */
module.exports = {
  name: 'diff',
  usage: '<before> [<between>] <after> | --mark <text> <pid|name|url>',
  help: 'compare two CPU profiles (what got hotter), heap snapshots (what grew, and what keeps it alive), heap profiles or heap histograms',
  options: {
    ...COMMON_OPTIONS,
    html: { type: 'string', meaning: 'for heap snapshots: also write a report as one HTML file' },
    classic: { type: 'boolean', meaning: 'for heap snapshots: names and sizes as in DevTools before 2024' },
    root: { type: 'string', meaning: 'for profiles: folder to which file names are shown relative' },
    sources: { ...SOURCES_OPTION, meaning: `for profiles: ${SOURCES_OPTION.meaning}` },
    route: { ...ROUTE_OPTION, meaning: `for CPU profiles: ${ROUTE_OPTION.meaning}` },
    mark: { type: 'string', meaning: 'for a process: compare its CPU profile before and after this mark, as far back as its recorder reaches' },
    ...CONNECT_OPTIONS
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
  if (values.mark !== undefined) return diffAtMark(invocation)
  if (files.length < 2) throw new Failure('usage', `diff takes two files, got ${files.length}.`, 'Or pass --mark <text> and a process. See `loopscope diff --help`.')
  const extensions = files.map(file => path.extname(file))
  const difference = DIFFERENCES[extensions[extensions.length - 1]] ?? DIFFERENCES['.cpuprofile']
  if (extensions.some(extension => (DIFFERENCES[extension] ?? DIFFERENCES['.cpuprofile']) !== difference)) {
    const remedy = `Pass files of the same kind: ${Object.keys(DIFFERENCES).join(', ')}.`
    throw new Failure('usage', `${files.join(', ')} are of different kinds.`, remedy)
  }
  if (files.length > difference.max) throw new Failure('usage', `Too many files: ${files.length}.`, `Pass at most ${difference.max}.`)
  assertOptions(values, difference.options, path.basename(files[0]))
  return difference.run(invocation)
}

/**
 * @param {Record<string, any>} values
 * @param {readonly string[]} allowed  beside the common ones
 * @param {string} what
 */
function assertOptions (values, allowed, what) {
  const unsupported = Object.keys(values).find(option => !(option in COMMON_OPTIONS) && !allowed.includes(option))
  if (unsupported !== undefined) throw new Failure('usage', `--${unsupported} cannot be used with ${what}.`, 'See `loopscope diff --help`.')
}

/**
 * Shares of the busy time. A function that is new or gone is shown as such: a share of 0.0 % could also be rounded.
 * @param {'total' | 'self'} kind
 * @returns {Column[]}
 */
const cpuColumns = kind => [
  { title: 'BEFORE', isNumber: true, cell: row => row.totalBefore === 0 ? 'new' : showShare(row[`${kind}Before`], 1) },
  { title: 'AFTER', isNumber: true, cell: row => row.totalAfter === 0 ? 'gone' : showShare(row[`${kind}After`], 1) },
  { title: 'CHANGE', isNumber: true, cell: row => signedShare(row[`${kind}Change`]) },
  { title: 'FUNCTION', endsWithLocation: true, cell: ({ name, place }) => place === '' ? name : `${name} ${place}` }
]

// The application's own functions first: by the time with all they call, so that the function that called something slow is seen. Of all others
// only their own time counts: most of them pass calls on.
/** @type {readonly { title: string, columns: Column[], isIn: (row: DiffRow) => boolean, changeOf: (row: DiffRow) => number, isClear: (row: DiffRow) => boolean }[]} */
const CPU_SECTIONS = Object.freeze([
  {
    title: 'functions of the application, with what they call',
    columns: cpuColumns('total'),
    isIn: ({ origin }) => origin === 'app',
    changeOf: ({ totalChange }) => Math.abs(totalChange),
    isClear: ({ isTotalClear }) => isTotalClear
  },
  {
    title: 'packages, Node.js and native code, without what they call',
    columns: cpuColumns('self'),
    isIn: ({ origin }) => origin !== 'app',
    changeOf: ({ selfChange }) => Math.abs(selfChange),
    isClear: ({ isSelfClear }) => isSelfClear
  }
])

/**
 * Prints what got hotter as a table; with -o and a name that ends in .html, as a flame graph.
 * @param {Invocation} invocation
 */
async function diffCpuProfiles ({ positionals: files, values, terminal }) {
  const mapping = createSourceMapping({ values, terminal })
  const parts = files.map(file => ofRoute(file, readProfile(file), values.route))
  const [before, after] = await Promise.all(parts.map(({ profile }) => mapping.profile(profile)))
  const notes = parts.flatMap((part, index) => part.notes.map(note => `${files[index]}: ${note}`))
  const titles = { before: files[0], after: files[1] }
  return showCpuDifference(before, after, { ...(values.root && { appRoot: values.root }), titles, notes }, { values, terminal })
}

/**
 * @param {CpuProfile} before
 * @param {CpuProfile} after
 * @param {{ appRoot?: string, titles: { before: string, after: string }, notes: string[] }} context  titles and notes: of the flame graph
 * @param {Pick<Invocation, 'values' | 'terminal'>} invocation
 */
function showCpuDifference (before, after, { titles, notes, ...context }, { values, terminal }) {
  if (!values.json && /\.html$/i.test(values.output ?? '')) {
    const { encodeFlameGraphDifference } = require('../../formats/flamegraph')
    return terminal.file(encodeFlameGraphDifference(before, after, { ...context, titles, notes }))
  }
  const difference = diffProfiles(before, after, context)
  if (values.json) return terminal.json(difference)
  const { before: earlier, after: later, rows } = difference
  terminal.line(`busy time: ${timeOf(earlier)} before, ${timeOf(later)} after`)
  if (isFarFrom(earlier, later)) terminal.line('Shares are of the busy time, which changed: what takes the same time as before has another share of it.')
  for (const { title, isIn, columns, changeOf, isClear } of CPU_SECTIONS) {
    terminal.line(['\n', terminal.paint('bold', title)])
    printRows(rows.filter(isIn), { values, terminal }, { columns, changeOf, min: MIN_SHARE, isClear, unchangedText: 'changed by less than 0.5 % of the busy time, or by no more than chance' })
  }
}

/** @type {(before: { busyMs: number, totalMs: number }, after: { busyMs: number, totalMs: number }) => boolean} */
function isFarFrom (before, after) {
  const ratio = (after.busyMs / after.totalMs) / (before.busyMs / before.totalMs)
  return ratio > FAR || ratio < 1 / FAR
}

/** @param {{ busyMs: number, totalMs: number }} times */
function timeOf ({ busyMs, totalMs }) {
  return `${(busyMs / 1e3).toFixed(2)} s of ${(totalMs / 1e3).toFixed(2)} s`
}

/** @param {number} share */
function signedShare (share) {
  return `${share > 0 ? '+' : ''}${showShare(share, 1)}`
}

/** Compares the CPU profile of a running process after a mark with that before it. @param {Invocation} invocation */
async function diffAtMark (invocation) {
  const { positionals, values } = invocation
  if (positionals.length > 1) throw new Failure('usage', 'diff --mark takes one process and no files.', 'See `loopscope diff --help`.')
  assertOptions(values, ['mark', ...Object.keys(CONNECT_OPTIONS), 'root', 'route', 'sources'], '--mark')
  const { timeAround } = require('../time-around')
  const client = connect(invocation)
  const { facts } = await client.json('/', { kind: 'index' })
  const known = await client.json('/marks')
  const { mark, fromMs, toMs } = timeAround(known, values.mark)
  const before = await client.json(`/cpu?${queryOf(fromMs, mark.at, values)}`)
  const after = await client.json(`/cpu?${queryOf(mark.at, toMs, values)}`)
  const titles = { before: `before ${mark.text}`, after: `after ${mark.text}` }
  return showCpuDifference(before, after, { appRoot: values.root ?? facts.appRoot, titles, notes: [] }, invocation)
}

/** @param {number} from @param {number} to @param {Record<string, any>} values */
function queryOf (from, to, { sources = 'original', route }) {
  return new URLSearchParams({ from: String(from), to: String(to), format: 'cpuprofile', sources, ...(route !== undefined && { route }) })
}

/** @type {Column[]} */
const HEAP_PROFILE_COLUMNS = [
  { title: 'CHANGE', isNumber: true, cell: ({ selfChange }) => signedBytes(selfChange) },
  { title: 'SELF BEFORE', isNumber: true, cell: ({ selfBefore }) => showBytes(selfBefore) },
  { title: 'AFTER', isNumber: true, cell: ({ selfAfter }) => showBytes(selfAfter) },
  { title: 'TOTAL CHANGE', isNumber: true, cell: ({ totalChange }) => signedBytes(totalChange) },
  { title: 'FUNCTION', endsWithLocation: true, cell: ({ name, place }) => `${name} ${place}` }
]

/** Prints which functions allocated more. @param {Invocation} invocation */
async function diffHeapProfileFiles ({ positionals: files, values, terminal }) {
  const mapping = createSourceMapping({ values, terminal })
  const [before, after] = await Promise.all(files.map(file => mapping.heapProfile(readHeapProfile(file))))
  const { beforeBytes, afterBytes, rows } = diffHeapProfiles(before, after, values.root ? { appRoot: values.root } : {})
  if (values.json) return terminal.json({ beforeBytes, afterBytes, rows })
  terminal.line(`sampled: ${showBytes(beforeBytes)} before, ${showBytes(afterBytes)} after`)
  printRows(rows, { values, terminal }, {
    columns: HEAP_PROFILE_COLUMNS,
    changeOf: ({ selfChange, totalChange }) => Math.max(Math.abs(selfChange), Math.abs(totalChange)),
    min: Math.max(beforeBytes, afterBytes) * MIN_SHARE,
    unchangedText: 'changed by less than 0.5 % of the memory'
  })
}

/** @param {number} bytes */
function signedBytes (bytes) {
  return bytes < 0 ? `-${showBytes(-bytes)}` : `+${showBytes(bytes)}`
}

/** @type {Column[]} */
const HISTOGRAM_COLUMNS = [
  { title: 'CHANGE', isNumber: true, cell: ({ change }) => `${change > 0 ? '+' : ''}${change}` },
  { title: 'BEFORE', isNumber: true, cell: row => String(row.before) },
  { title: 'AFTER', isNumber: true, cell: row => String(row.after) },
  { title: 'CONSTRUCTOR', cell: ({ name }) => name }
]

/** Prints which constructors have more objects. @param {Invocation} invocation */
async function diffHistogramFiles ({ positionals: files, values, terminal }) {
  const [before, after] = files.map(readHistogram)
  const difference = diffHistograms(before, after)
  if (values.json) return terminal.json(difference)
  const { isSameProcess, isComplete, total, rows } = difference
  if (!isSameProcess) terminal.note('The histograms are from two different processes.')
  if (!isComplete) {
    terminal.note('Too many constructors: those with the fewest objects are combined as _other, so a row that looks new may have been part of it before.')
  }
  terminal.line(`${total.before.toLocaleString('en')} objects before, ${total.after.toLocaleString('en')} after`)
  printRows(rows, { values, terminal }, {
    columns: HISTOGRAM_COLUMNS,
    changeOf: ({ change }) => Math.abs(change),
    min: 1,
    unchangedText: 'did not change'
  })
}

/** @param {string} file */
function readHistogram (file) {
  const histogram = readJson(file, HISTOGRAM)
  if (!isHistogram(histogram)) throw new Failure('failed', `${file} is not a heap histogram.`, `Expected ${HISTOGRAM}.`)
  return histogram
}

/**
 * Prints what was added, removed and grew between two or three heap snapshots, and what keeps it alive.
 * @param {Invocation} invocation
 */
async function diffSnapshots ({ positionals: files, values, terminal, signal }) {
  const page = values.html && openDestination({ values: { output: values.html, force: values.force }, terminal, signal }, { name: 'diff.html' })
  const { compareFiles } = require('../../heap-diff/comparison/compare-files')
  const { readSource } = require('../../heap-diff/suspects/places')
  const progress = terminal.progress('comparing')
  const onProgress = (/** @type {{ file: string, stage: string, bytes?: number }} */ { file, stage, bytes }) => {
    progress.note(`${file}: ${stage}${bytes === undefined ? '' : ` ${showBytes(bytes)}`}`)
  }
  const compared = compareFiles(files, { isClassic: values.classic === true, isParallel: true, onProgress, signal, readSource })
  const report = await explainFileErrors(compared).finally(progress.end)
  if (page) await page.write(Buffer.from(require('../../heap-diff/report').renderReport(report)))
  if (values.json) return terminal.json(report)
  const { reportLines } = require('../../heap-diff/report')
  for (const line of reportLines(report, values.all ? { withNoise: true, maxClasses: ALL_CLASSES } : {})) terminal.line(line)
}

/**
 * Prints the rows that changed most, those first, and how many others there are.
 * @template Row
 * @param {readonly Row[]} rows
 * @param {Pick<Invocation, 'values' | 'terminal'>} invocation
 * @param {{ columns: readonly Column[], changeOf: (row: Row) => number, min: number, isClear?: (row: Row) => boolean, unchangedText: string }} how
 *   changeOf: how far it changed, 0 or more; min: what counts as a change; isClear: whether it is more than chance; unchangedText: of all
 *   other rows
 */
function printRows (rows, { values, terminal }, { columns, changeOf, min, isClear = () => true, unchangedText }) {
  const changed = values.all ? rows : rows.filter(row => changeOf(row) >= min && isClear(row))
  const shown = [...changed].sort((left, right) => changeOf(right) - changeOf(left)).slice(0, values.all ? Infinity : MAX_ROWS)
  if (shown.length === 0) terminal.line('nothing changed')
  else terminal.table(columns, shown)
  const [same, more] = [rows.length - changed.length, changed.length - shown.length]
  if (more > 0) terminal.line(`${more} more ${more === 1 ? 'row' : 'rows'} changed less; --all shows them`)
  if (same > 0) terminal.line(`${same} ${same === 1 ? 'row' : 'rows'} ${unchangedText}; --all shows them`)
}
