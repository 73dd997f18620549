'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { fileURLToPath } = require('node:url')
const { Failure } = require('../failure')
const { OUTPUT_OPTIONS, openDestination } = require('../output/destination')
const { WIDE_OPTION, tableLines } = require('../output/table')
const { ROUTE_OPTION, SOURCES_OPTION, createWrittenCode, explainFileErrors, ofRoute, readHeapProfile, readJson, readProfile } = require('../profile-file')
const { JSON_OPTION, CONNECT_OPTIONS, connect } = require('../connect/connect')
const { showBytes } = require('../../shared/base/sizes')
const { diffProfiles, diffHistograms, isHistogram, diffHeapProfiles } = require('../../shared/formats/differences')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Command, Invocation } from '../commands' */
/** @import { Column } from '../output/table' */

const MAX_ROWS = 30
const ALL_CLASSES = Infinity
const LEAST_SHARE = 0.005 // less is noise of the samples
const HISTOGRAM = 'a heap histogram, as `loopscope heap --kind histogram` writes it'

/** @typedef {{ options: readonly string[], max: number, run: (invocation: Invocation) => Promise<number | void> }} Difference */

/** @type {Difference} */
const OF_SNAPSHOTS = Object.freeze({ options: ['html', 'classic'], max: 3, run: diffSnapshots })

/** By the extension of the files. @type {Readonly<Record<string, Difference>>} */
const DIFFERENCES = Object.freeze({
  '.cpuprofile': { options: ['root', 'route', 'sources'], max: 2, run: diffCpuProfiles },
  '.heapprofile': { options: ['root', 'sources'], max: 2, run: diffHeapProfileFiles },
  '.json': { options: [], max: 2, run: diffHistogramFiles },
  '.heapsnapshot': OF_SNAPSHOTS,
  '.heapindex': OF_SNAPSHOTS
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

/**
 * @param {Record<string, any>} values
 * @param {readonly string[]} known  beside those of all
 * @param {string} what
 */
function assertOptions (values, known, what) {
  const foreign = Object.keys(values).find(option => !(option in OF_ALL) && !known.includes(option))
  if (foreign !== undefined) throw new Failure('usage', `--${foreign} does not go with ${what}.`, 'Run `loopscope diff --help`.')
}

/** @type {Column[]} */
const CPU_COLUMNS = [
  { title: 'CHANGE', isNumber: true, cell: ({ selfChange }) => signedPercent(selfChange) },
  { title: 'SELF BEFORE', isNumber: true, cell: ({ selfBefore }) => percent(selfBefore) },
  { title: 'AFTER', isNumber: true, cell: ({ selfAfter }) => percent(selfAfter) },
  { title: 'TOTAL BEFORE', isNumber: true, cell: ({ totalBefore }) => percent(totalBefore) },
  { title: 'AFTER', isNumber: true, cell: ({ totalAfter }) => percent(totalAfter) },
  { title: 'FUNCTION', endsWithPlace: true, cell: ({ name, place }) => `${name} ${place}` }
]

/**
 * What got hotter, as rows; with -o and a name that ends in .html as a flame graph.
 * @param {Invocation} invocation
 */
async function diffCpuProfiles ({ positionals: files, values, terminal }) {
  const written = createWrittenCode({ values, terminal })
  const parts = files.map(file => ofRoute(file, readProfile(file), values.route))
  const [before, after] = await Promise.all(parts.map(({ profile }) => written.profile(profile)))
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
    const { encodeFlameGraphDifference } = require('../../shared/formats/flamegraph')
    return terminal.file(encodeFlameGraphDifference(before, after, { ...context, titles, notes }))
  }
  const difference = diffProfiles(before, after, context)
  if (values.json) return terminal.json(difference)
  const { rows } = difference
  terminal.line(`time at work: ${timeOf(difference.before)} before, ${timeOf(difference.after)} after`)
  printRows(rows, { values, terminal }, {
    columns: CPU_COLUMNS,
    changeOf: ({ selfChange, totalChange }) => Math.max(Math.abs(selfChange), Math.abs(totalChange)),
    least: LEAST_SHARE,
    leastInWords: 'changed by less than 0.5 % of the time at work'
  })
}

/** @param {{ busyMs: number, totalMs: number }} times */
function timeOf ({ busyMs, totalMs }) {
  return `${(busyMs / 1e3).toFixed(2)} s of ${(totalMs / 1e3).toFixed(2)} s`
}

/** @param {number} share */
function percent (share) {
  return `${(share * 100).toFixed(1)} %`
}

/** @param {number} share */
function signedPercent (share) {
  return `${share > 0 ? '+' : ''}${percent(share)}`
}

/**
 * The CPU profile after a mark against the one before it, of a process that runs.
 * @param {Invocation} invocation
 */
async function diffAtMark (invocation) {
  const { positionals, values } = invocation
  if (positionals.length > 1) throw new Failure('usage', 'diff --mark takes one process, no files.', 'See `loopscope diff --help`.')
  assertOptions(values, ['mark', ...Object.keys(CONNECT_OPTIONS), 'root', 'route', 'sources'], '--mark')
  const { timeAround } = require('../../shared/marks')
  const client = connect(invocation)
  const { facts } = await client.json('/')
  const known = await client.json('/marks')
  const { mark, fromMs, toMs } = timeAround(known, values.mark)
  const before = await client.json(`/cpu?${queryOf(fromMs, mark.at, values)}`)
  const after = await client.json(`/cpu?${queryOf(mark.at, toMs, values)}`)
  const titles = { before: `before ${mark.text}`, after: `after ${mark.text}` }
  return showCpuDifference(before, after, { appRoot: values.root ?? facts.appRoot, titles, notes: [] }, invocation)
}

/**
 * @param {number} from
 * @param {number} to
 * @param {Record<string, any>} values
 */
function queryOf (from, to, { sources = 'original', route }) {
  return new URLSearchParams({ from: String(from), to: String(to), format: 'cpuprofile', sources, ...(route !== undefined && { route }) })
}

/** @type {Column[]} */
const HEAP_PROFILE_COLUMNS = [
  { title: 'CHANGE', isNumber: true, cell: ({ selfChange }) => signedBytes(selfChange) },
  { title: 'SELF BEFORE', isNumber: true, cell: ({ selfBefore }) => showBytes(selfBefore) },
  { title: 'AFTER', isNumber: true, cell: ({ selfAfter }) => showBytes(selfAfter) },
  { title: 'TOTAL CHANGE', isNumber: true, cell: ({ totalChange }) => signedBytes(totalChange) },
  { title: 'FUNCTION', endsWithPlace: true, cell: ({ name, place }) => `${name} ${place}` }
]

/**
 * Which functions allocated more.
 * @param {Invocation} invocation
 */
async function diffHeapProfileFiles ({ positionals: files, values, terminal }) {
  const written = createWrittenCode({ values, terminal })
  const [before, after] = await Promise.all(files.map(file => written.heapProfile(readHeapProfile(file))))
  const { beforeBytes, afterBytes, rows } = diffHeapProfiles(before, after, values.root ? { appRoot: values.root } : {})
  if (values.json) return terminal.json({ beforeBytes, afterBytes, rows })
  terminal.line(`sampled: ${showBytes(beforeBytes)} before, ${showBytes(afterBytes)} after`)
  printRows(rows, { values, terminal }, {
    columns: HEAP_PROFILE_COLUMNS,
    changeOf: ({ selfChange, totalChange }) => Math.max(Math.abs(selfChange), Math.abs(totalChange)),
    least: Math.max(beforeBytes, afterBytes) * LEAST_SHARE,
    leastInWords: 'changed by less than 0.5 % of the memory'
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

/**
 * Of which constructor there are more objects.
 * @param {Invocation} invocation
 */
async function diffHistogramFiles ({ positionals: files, values, terminal }) {
  const [before, after] = files.map(readHistogram)
  const difference = diffHistograms(before, after)
  if (values.json) return terminal.json(difference)
  const { isSameProcess, isComplete, total, rows } = difference
  if (!isSameProcess) terminal.note('They are of two processes.')
  if (!isComplete) {
    terminal.note('Too many constructors: those with the fewest objects are together in _other, and a row may only have left it.')
  }
  terminal.line(`${total.before.toLocaleString('en')} objects before, ${total.after.toLocaleString('en')} after`)
  printRows(rows, { values, terminal }, {
    columns: HISTOGRAM_COLUMNS,
    changeOf: ({ change }) => Math.abs(change),
    least: 1,
    leastInWords: 'did not change'
  })
}

/** @param {string} file */
function readHistogram (file) {
  const histogram = readJson(file, HISTOGRAM)
  if (!isHistogram(histogram)) throw new Failure('failed', `${file} is not a heap histogram.`, `Wanted ${HISTOGRAM}.`)
  return histogram
}

/**
 * What came, what went, what grew, and what holds it, of two or three heap snapshots.
 * @param {Invocation} invocation
 */
async function diffSnapshots ({ positionals: files, values, terminal, signal }) {
  const page = values.html && openDestination({ values: { output: values.html, force: values.force }, terminal, signal }, { name: 'diff.html' })
  const { compareFiles } = require('../../analysis/comparison/compare-files')
  const progress = terminal.progress('comparing')
  const onProgress = (/** @type {{ file: string, stage: string, bytes?: number }} */ { file, stage, bytes }) => {
    progress.note(`${file}: ${stage}${bytes === undefined ? '' : ` ${showBytes(bytes)}`}`)
  }
  const compared = compareFiles(files, { isClassic: values.classic === true, isParallel: true, onProgress, signal, readSource })
  const report = await explainFileErrors(compared).finally(progress.end)
  if (page) await page.write(Buffer.from(require('../../analysis/report/html').renderReport(report)))
  if (values.json) return terminal.json(report)
  const { reportLines } = require('../../analysis/report/text')
  for (const line of reportLines(report, values.all ? { withNoise: true, maxClasses: ALL_CLASSES } : {})) terminal.line(line)
}

/**
 * Where the code of the process is on this machine, the line of a declaration can be found.
 * @param {string} file  path or URL, as in the snapshot
 */
function readSource (file) {
  try {
    return fs.readFileSync(file.startsWith('file:') ? fileURLToPath(file) : file, 'utf8')
  } catch {
    return null
  }
}

/**
 * Prints the rows that changed, those that changed most where they are many, and how many others there are.
 * @template Row
 * @param {readonly Row[]} rows
 * @param {Pick<Invocation, 'values' | 'terminal'>} invocation
 * @param {{ columns: readonly Column[], changeOf: (row: Row) => number, least: number, leastInWords: string }} how
 *   changeOf: how far it changed, 0 or more; least: what counts as a change
 */
function printRows (rows, { values, terminal }, { columns, changeOf, least, leastInWords }) {
  const changed = values.all ? rows : rows.filter(row => changeOf(row) >= least)
  const furthest = [...changed].sort((left, right) => changeOf(right) - changeOf(left)).slice(0, values.all ? Infinity : MAX_ROWS)
  const isShown = new Set(furthest)
  const shown = changed.filter(row => isShown.has(row))
  const lines = shown.length === 0 ? ['nothing changed'] : tableLines(columns, shown, terminal.columns())
  for (const line of lines) terminal.line(line)
  const [same, more] = [rows.length - changed.length, changed.length - shown.length]
  if (more > 0) terminal.line(`${more} more ${more === 1 ? 'row' : 'rows'} that changed less; --all shows them`)
  if (same > 0) terminal.line(`${same} ${same === 1 ? 'row' : 'rows'} that ${leastInWords}; --all shows them`)
}
