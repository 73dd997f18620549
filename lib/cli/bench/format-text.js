'use strict'

// Formats a benchmark, and a comparison of two, as text for a terminal; the page uses some of the same texts.

const { tableLines } = require('../output/table')
const { FIGURES, showFigure, showMicros, showSpread, spreadOf, valuesOf, warningsOf } = require('./figures')
const { localTime } = require('../../base/local-time')
const { printable, wrapped } = require('../../base/printable')
const { LABELS } = require('../../shared/findings/show')

/** @import { Terminal } from '../output/terminal' */
/** @import { Comparison, FigureChange, FindingChange, FunctionChange, RouteChange, Verdict } from './compare' */
/** @import { Bench } from './result-file' */

/** @type {Readonly<Partial<Record<Verdict, Parameters<Terminal['paint']>[0]>>>} */
const COLORS = Object.freeze({ better: 'green', worse: 'red' })

// In 80 columns there is no room for what the line below the table explains.
/** @type {Readonly<Partial<Record<Verdict, string>>>} */
const SHORT_VERDICTS = Object.freeze({ 'no difference seen': '-', 'too few rounds': '-' })

// Two rows for each route: in one, both quantiles with their predictions would not fit 80 columns.
const QUANTILES = /** @type {const} */ (['p50', 'p95'])

/** @param {Bench} bench @param {Terminal} terminal */
function showBench (bench, terminal) {
  showText(terminal, describe(bench))
  for (const warning of warningsOf(bench)) showText(terminal, warning, { style: 'yellow' })
  terminal.line('')
  const rows = FIGURES.flatMap(figure => {
    const values = valuesOf(figure, bench.rounds)
    return values === null ? [] : [{ ...figure, spread: spreadOf(values) }]
  })
  terminal.table([
    { title: 'FIGURE', cell: nameOf },
    { title: 'MEDIAN (RANGE)', cell: ({ spread }) => showSpread(spread) }
  ], rows)
  const [first] = bench.rounds[bench.profile?.round ?? 0].findings
  terminal.line('')
  showText(terminal, `${LABELS[first.severity]}: ${first.title}`, { indent: '  ' })
}

/**
 * @param {Terminal} terminal
 * @param {string} text
 * @param {{ style?: Parameters<Terminal['paint']>[0], indent?: string }} [how]
 */
function showText (terminal, text, { style, indent = '' } = {}) {
  for (const line of wrapped(printable(text), terminal.columns(), indent)) terminal.line(style === undefined ? line : terminal.paint(style, line))
}

/** @param {Comparison} comparison @param {Terminal} terminal */
function showComparison (comparison, terminal) {
  const { before, after, warnings, figures, chance, findings, routes, functions } = comparison
  showText(terminal, `before: ${before.file}  ${describe(before.bench)}`, { indent: '        ' })
  showText(terminal, `after:  ${after.file}  ${describe(after.bench)}`, { indent: '        ' })
  for (const warning of warnings) showText(terminal, warning, { style: 'yellow' })
  terminal.line('')
  showFigures(figures, terminal)
  terminal.line('')
  showText(terminal, explain(chance))
  if (figures.some(({ verdict }) => verdict === 'too few rounds')) showText(terminal, 'With so few rounds no figure is called better or worse: --rounds 3, before and after, is the least.')
  showFindings(findings, terminal)
  showRoutes(routes, terminal)
  if (functions === null) return
  showFunctions('hotter', functions.hotter, terminal)
  showFunctions('colder', functions.colder, terminal)
}

/** @param {readonly FigureChange[]} figures @param {Terminal} terminal */
function showFigures (figures, terminal) {
  const lines = tableLines([
    { title: 'MEDIAN (RANGE)', cell: nameOf },
    { title: 'BEFORE', cell: ({ before }) => showSpread(before) },
    { title: 'AFTER', cell: ({ after }) => showSpread(after) },
    { title: 'RATIO', isNumber: true, cell: ({ ratio }) => ratio === null ? '-' : showFigure(ratio.median) },
    { title: '', cell: (/** @type {FigureChange} */ { verdict }) => SHORT_VERDICTS[verdict] ?? verdict }
  ], figures) // never cut: half a number is misleading
  for (const [index, line] of lines.entries()) {
    const color = COLORS[/** @type {Verdict} */ (figures[index - 1]?.verdict)]
    terminal.line(color === undefined ? line : terminal.paint(color, line))
  }
}

/** @param {Comparison['findings']} findings @param {Terminal} terminal */
function showFindings ({ gone, came, stayed }, terminal) {
  const groups = [{ title: 'findings that are gone', changes: gone }, { title: 'new findings', changes: came }, { title: 'remaining findings', changes: stayed }]
  for (const { title, changes } of groups) {
    if (changes.length === 0) continue
    terminal.line('')
    terminal.line(terminal.paint('bold', title))
    for (const change of changes) showText(terminal, `  ${LABELS[change.finding.severity]}: ${change.finding.title} ${roundsOf(change)}`, { indent: '    ' })
  }
}

/** @param {readonly RouteChange[]} routes @param {Terminal} terminal */
function showRoutes (routes, terminal) {
  if (routes.length === 0) return
  terminal.line('')
  terminal.line(terminal.paint('bold', 'how long requests took, from their arrival, in ms'))
  const isPredicted = routes.some(({ predicted }) => predicted !== null)
  /** @typedef {{ change: RouteChange, name: 'p50' | 'p95' }} Row */
  terminal.table([
    { title: 'ROUTE', cell: (/** @type {Row} */ { change, name }) => name === 'p50' ? change.route : '' },
    { title: '', cell: (/** @type {Row} */ { name }) => name },
    { title: 'BEFORE', isNumber: true, cell: (/** @type {Row} */ { change, name }) => String(change.before[`${name}Ms`]) },
    { title: 'AFTER', isNumber: true, cell: (/** @type {Row} */ { change, name }) => String(change.after[`${name}Ms`]) },
    ...(isPredicted ? [{ title: 'PREDICTED', isWhole: true, cell: (/** @type {Row} */ { change, name }) => predictedRange(change.predicted?.[`${name}Ms`]) }] : [])
  ], routes.flatMap(change => QUANTILES.map(name => ({ change, name }))))
}

/** @param {{ low: number, high: number } | undefined} range */
function predictedRange (range) {
  return range === undefined ? '-' : `${range.low} to ${range.high}`
}

/** @param {string} title @param {readonly FunctionChange[]} rows @param {Terminal} terminal */
function showFunctions (title, rows, terminal) {
  if (rows.length === 0) return
  terminal.line('')
  terminal.line(terminal.paint('bold', `what got ${title}, in time of the main thread per request`))
  terminal.table([
    { title: 'CHANGE', isNumber: true, cell: ({ change }) => showMicros(change, { isChange: true }) },
    { title: 'BEFORE', isNumber: true, cell: row => showMicros(row.before) },
    { title: 'AFTER', isNumber: true, cell: row => showMicros(row.after) },
    { title: 'FUNCTION', endsWithLocation: true, cell: ({ name, place }) => `${name} ${place}` }
  ], rows)
}

/** @param {Bench} bench */
function describe (bench) {
  const { at, command, load, rounds, application } = bench
  return `${localTime(at)}  ${command.join(' ')}, ${targetOf(bench)}: ${rounds.length} ${rounds.length === 1 ? 'round' : 'rounds'} of ${load.seconds} s, ` +
    `${load.connections} ${load.connections === 1 ? 'connection' : 'connections'}, Node.js ${application.nodeVersion}`
}

/** @param {{ name: string, unit: string }} figure */
function nameOf ({ name, unit }) {
  return unit === '' ? name : `${name}, ${unit}`
}

/** @param {Bench} bench @returns {string} without the port, which may differ each time */
function targetOf ({ request: { url, method } }) {
  const { pathname, search } = new URL(url)
  return `${method} ${pathname}${search}`
}

/** @param {number} chance */
function explain (chance) {
  const rule = 'A difference is reported where the ranges of the rounds do not overlap'
  if (chance === 1) return `${rule}: one round per side has no range.`
  return `${rule}; for two equal programs this happens in one of ${chance} comparisons.`
}

/** @param {FindingChange} change */
function roundsOf ({ roundsBefore, roundsAfter }) {
  return `(rounds with it: ${roundsBefore} before, ${roundsAfter} after)`
}

module.exports = { describe, explain, nameOf, roundsOf, showBench, showComparison, targetOf }
