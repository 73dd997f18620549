'use strict'

// The figures of a benchmark: how each is read and formatted, and whether more or less is better; and its warnings. A new figure is a
// row. Pure.

const { median, sum, sumBy } = require('../../base/sums')

/** @import { Bench, Round } from './result-file' */

/**
 * @typedef {object} Figure
 * @property {string} name
 * @property {string} unit
 * @property {'more' | 'less' | null} better  null: neither; it is context for the others
 * @property {(round: Round) => number | null} read
 *
 * @typedef {{ median: number, min: number, max: number }} Spread  over the rounds
 * @typedef {{ file: string, bench: Bench }} Read
 */

/** @type {readonly Figure[]} */
const FIGURES = Object.freeze([
  { name: 'requests/s', unit: '', better: 'more', read: round => round.perSecond },
  { name: 'latency p50', unit: 'ms', better: 'less', read: ({ latencyMs }) => latencyMs.p50 },
  { name: 'latency p90', unit: 'ms', better: 'less', read: ({ latencyMs }) => latencyMs.p90 },
  { name: 'latency p97.5', unit: 'ms', better: 'less', read: ({ latencyMs }) => latencyMs.p97_5 },
  { name: 'latency p99', unit: 'ms', better: 'less', read: ({ latencyMs }) => latencyMs.p99 },
  { name: 'latency max', unit: 'ms', better: 'less', read: ({ latencyMs }) => latencyMs.max },
  { name: 'errors', unit: '', better: 'less', read: ({ errors }) => errors },
  { name: 'non-2xx answers', unit: '', better: 'less', read: ({ non2xx }) => non2xx },
  { name: 'loop delay p50', unit: 'ms', better: 'less', read: ({ delayMs }) => delayMs?.p50 ?? null },
  { name: 'loop delay p99', unit: 'ms', better: 'less', read: ({ delayMs }) => delayMs?.p99 ?? null },
  { name: 'loop delay max', unit: 'ms', better: 'less', read: ({ delayMs }) => delayMs?.max ?? null },
  { name: 'stalls', unit: '', better: 'less', read: ({ stalls }) => stalls.count },
  { name: 'time in stalls', unit: 'ms', better: 'less', read: ({ stalls }) => stalls.blockedMs },
  { name: 'utilization', unit: '%', better: null, read: ({ utilization }) => utilization === null ? null : utilization * 100 },
  { name: 'CPU per request', unit: 'ms', better: 'less', read: ({ cpuMsPerRequest }) => cpuMsPerRequest }
])

/** What both benchmarks should have in common, with the name of each. @type {[string, (bench: Bench) => unknown][]} */
const CONDITIONS = [
  ['the path', ({ request: { url } }) => new URL(url).pathname + new URL(url).search],
  ['the method', ({ request }) => request.method],
  ['the number of connections', ({ load }) => load.connections],
  ['the duration of a round (s)', ({ load }) => load.seconds],
  ['the warm-up (s)', ({ load }) => load.warmUpSeconds],
  ['the load generator', ({ load }) => load.tool],
  ['Node.js', ({ application }) => application.nodeVersion],
  ['the machine', ({ machine }) => `${machine.cpus} × ${machine.model}`],
  ['the CPUs of the application', ({ processors }) => processors.pinning?.application ?? 'any']
]

/**
 * @param {Figure} figure
 * @param {readonly Round[]} rounds
 * @returns {number[] | null} one per round; null where a round does not have it
 */
function valuesOf ({ read }, rounds) {
  const values = rounds.map(read)
  return values.includes(null) ? null : /** @type {number[]} */ (values)
}

/** @param {readonly number[]} values @returns {Spread} */
function spreadOf (values) {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) }
}

/** @param {Spread} spread @returns {string} `median (min..max)` */
function showSpread ({ median, min, max }) {
  const [middle, least, most] = [median, min, max].map(showFigure)
  return least === most ? middle : `${middle} (${least}..${most})`
}

/**
 * Three significant digits, fewer for small values: rounds do not agree more precisely. Integers are complete.
 * @param {number} value
 */
function showFigure (value) {
  if (Math.abs(value) >= 100 || Number.isInteger(value)) return value.toFixed(0)
  if (Math.abs(value) >= 10) return value.toFixed(1)
  return Math.abs(value) >= 0.1 ? value.toFixed(2) : value.toPrecision(1)
}

/** With a sign where it is a change. @param {number} micros @param {{ isChange?: boolean }} [how] */
function showMicros (micros, { isChange = false } = {}) {
  const size = Math.abs(micros)
  const [unitMicros, unit] = size < 1e3 ? [1, 'µs'] : size < 1e6 ? [1e3, 'ms'] : [1e6, 's']
  return `${isChange && micros > 0 ? '+' : ''}${showFigure(micros / unitMicros)} ${unit}`
}

/** @param {Bench} bench @returns {string[]} */
function warningsOf ({ rounds, processors, profile }) {
  const answered = sum(rounds, round => round.answered)
  const non2xx = sum(rounds, round => round.non2xx)
  const errors = sum(rounds, round => round.errors)
  return [
    ...(non2xx === 0 ? [] : [notSuccessful(answered, non2xx, statusCodesOf(rounds))]),
    ...(errors === 0 ? [] : [`${errors === 1 ? 'One request' : `${errors} requests`} got no answer: the connection failed, or there was none within 10 s.`]),
    ...(processors.pinning === null ? [`The application and the load generator shared the CPUs (${processors.reason}), which distorts the figures.`] : []),
    ...(processors.applicationCount === 1
      ? ['The application had one CPU: moving work to other threads frees the event loop, but increases requests/s only with --no-pin or on a larger machine.']
      : []),
    ...(profile === null ? ['There is no profile: the recorder is off, or it no longer held that time.'] : [])
  ]
}

/** @param {number} answered @param {number} non2xx @param {string} codes */
function notSuccessful (answered, non2xx, codes) {
  return non2xx === answered
    ? `NO ANSWER WAS SUCCESSFUL (${codes}): the figures only show how fast the application fails.`
    : `${(100 * non2xx / answered).toFixed(1)} % of the answers were not successful (${codes}).`
}

/** @param {Bench['rounds']} rounds */
function statusCodesOf (rounds) {
  const counts = sumBy(rounds.flatMap(({ statusCodes }) => Object.entries(statusCodes)), ([code]) => code, ([, count]) => count)
  return [...counts].map(([code, count]) => `${code}: ${count}`).join(', ')
}

/** @param {Read} before @param {Read} after @returns {string[]} */
function warningsOfPair (before, after) {
  const differences = CONDITIONS.map(([name, read]) => ({ name, values: [read(before.bench), read(after.bench)] }))
    .filter(({ values: [earlier, later] }) => earlier !== later)
    .map(({ name, values: [earlier, later] }) => `Not only the code changed: ${name} was ${earlier} before and is ${later} after.`)
  const [ofBefore, ofAfter] = [before, after].map(({ bench }) => warningsOf(bench))
  const both = ofBefore.filter(warning => ofAfter.includes(warning))
  return [
    ...differences,
    ...both,
    ...ofBefore.filter(warning => !both.includes(warning)).map(warning => `Before: ${warning}`),
    ...ofAfter.filter(warning => !both.includes(warning)).map(warning => `After: ${warning}`)
  ]
}

module.exports = { FIGURES, showFigure, showMicros, showSpread, spreadOf, valuesOf, warningsOf, warningsOfPair }
