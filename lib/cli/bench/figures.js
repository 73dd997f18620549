'use strict'

// The figures of a benchmark: where they stand in a round, how they are written, and which way is better. A new one is a row. Pure.

/** @import { Round } from './result-file' */

/**
 * @typedef {object} Figure
 * @property {string} name
 * @property {string} unit
 * @property {'more' | 'less' | null} better  null: neither; it says what the others rest on
 * @property {(round: Round) => number | null} read
 *
 * @typedef {{ median: number, min: number, max: number }} Spread  over the rounds
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
  { name: 'not 2xx', unit: '', better: 'less', read: ({ non2xx }) => non2xx },
  { name: 'loop delay p50', unit: 'ms', better: 'less', read: ({ delayMs }) => delayMs?.p50 ?? null },
  { name: 'loop delay p99', unit: 'ms', better: 'less', read: ({ delayMs }) => delayMs?.p99 ?? null },
  { name: 'loop delay max', unit: 'ms', better: 'less', read: ({ delayMs }) => delayMs?.max ?? null },
  { name: 'stalls', unit: '', better: 'less', read: ({ stalls }) => stalls.count },
  { name: 'stalled', unit: 'ms', better: 'less', read: ({ stalls }) => stalls.blockedMs },
  { name: 'utilisation', unit: '%', better: null, read: ({ utilization }) => utilization === null ? null : utilization * 100 },
  { name: 'CPU a request', unit: 'ms', better: 'less', read: ({ cpuMsPerRequest }) => cpuMsPerRequest }
])

/**
 * @param {Figure} figure
 * @param {readonly Round[]} rounds
 * @returns {number[] | null} one a round; null where one of them does not have it
 */
function valuesOf ({ read }, rounds) {
  const values = rounds.map(read)
  return values.includes(null) ? null : /** @type {number[]} */ (values)
}

/**
 * @param {readonly number[]} values
 * @returns {Spread}
 */
function spreadOf (values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  return { median, min: sorted[0], max: sorted[sorted.length - 1] }
}

/**
 * @param {Spread} spread
 * @returns {string} `median (min..max)`
 */
function showSpread ({ median, min, max }) {
  const [middle, least, most] = [median, min, max].map(showFigure)
  return least === most ? middle : `${middle} (${least}..${most})`
}

/**
 * In three digits, of small ones in less, which is more than rounds agree in; whole numbers are written out.
 * @param {number} value
 */
function showFigure (value) {
  if (Math.abs(value) >= 100 || Number.isInteger(value)) return value.toFixed(0)
  if (Math.abs(value) >= 10) return value.toFixed(1)
  return Math.abs(value) >= 0.1 ? value.toFixed(2) : value.toPrecision(1)
}

module.exports = { FIGURES, showFigure, showSpread, spreadOf, valuesOf }
