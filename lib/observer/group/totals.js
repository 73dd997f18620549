'use strict'

// Totals of a group: the last report of each process, and one sum of processes that ended long ago. They never decrease, in whatever order processes
// report, so no counter of the group ever falls.

const { monotonicMicros } = require('../../base/monotonic')
const { isObject, number, orNull, record, text } = require('../../base/shapes')
const { isMetric } = require('../../shared/group/answers')
const { sumMetrics } = require('./sum-metrics')

/** @import { Metric } from './sum-metrics' */

// Long enough for a process whose observer was lost and restarts late.
const FOLD_AFTER_MS = 10 * 60_000
const MAX_GONE = 64  // gone, and not folded yet: a crash loop must not fill the disk
const MAX_FOLDED = 1000 // names kept, for late reports of them

/**
 * @typedef {object} ApplicationMetrics  plain data
 * @property {number} openedAtMs  its counts start at 0 then; on the process's monotonic clock, like readAtMs
 * @property {number} readAtMs
 * @property {string} contentType
 * @property {Metric[]} metrics
 *
 * @typedef {ApplicationMetrics & { memberId: string }} MetricsReading  reading of one process of the group
 *
 * @typedef {Omit<MetricsReading, 'contentType'> & { goneSinceMs: number | null }} Report  goneSinceMs: on the monotonic clock, which all processes of a host
 *   share; null: it is running
 *
 * @typedef {object} Totals
 * @property {Readonly<Record<string, Report>>} reports
 * @property {readonly Metric[]} departed  sum of departed processes, as exact sums
 * @property {readonly string[]} folded  names of processes already added to departed
 */

/** @type {Totals} */
const NO_REPORTS = Object.freeze({ reports: Object.freeze({}), departed: Object.freeze([]), folded: Object.freeze([]) })

const hasShapeOfReport = record({ memberId: text, openedAtMs: number, readAtMs: number, goneSinceMs: orNull(number), metrics: Array.isArray })

const MAX_COUNT = 1e300
const COUNTING_TYPES = Object.freeze(['counter', 'histogram', 'summary'])

/**
 * The stored totals, without entries that cannot be added up: they may be from another version, or corrupt.
 * @param {any} kept
 * @returns {Totals}
 */
function toTotals (kept) {
  if (!isObject(kept)) return NO_REPORTS
  const { reports = kept.told, departed, folded } = kept // told: the key in files of 0.1.0
  const rows = /** @type {Report[]} */ (isObject(reports) ? Object.values(reports).filter(hasShapeOfReport) : [])
  return {
    reports: Object.fromEntries(rows.map(row => [nameOf(row), { ...row, metrics: row.metrics.filter(isMetric) }])),
    departed: Array.isArray(departed) ? departed.filter(isMetric) : [],
    folded: Array.isArray(folded) ? folded.filter(text) : []
  }
}

/**
 * @param {Totals} totals
 * @param {object} news
 * @param {readonly MetricsReading[]} news.readings
 * @param {(memberId: string) => boolean} news.isThere
 * @param {number} [news.nowMs]  on the monotonic clock
 * @returns {Totals}
 */
function addReports ({ reports, departed, folded }, { readings, isThere, nowMs = monotonicMicros() / 1e3 }) {
  const all = { ...reports }
  for (const reading of readings) {
    const name = nameOf(reading)
    if (!folded.includes(name) && !(all[name]?.readAtMs >= reading.readAtMs)) all[name] = toReport(reading)
  }
  const rows = Object.values(all)
  const marked = rows.map(row => ({ ...row, goneSinceMs: isThere(row.memberId) && isNewest(row, rows) ? null : Math.min(row.goneSinceMs ?? nowMs, nowMs) }))
  const toFold = foldable(marked, nowMs)
  return {
    reports: Object.fromEntries(marked.filter(row => !toFold.includes(row)).map(row => [nameOf(row), row])),
    departed: toFold.length === 0 ? departed : sumMetrics([departed, ...toFold.map(({ metrics }) => metrics)], parts => parts),
    folded: [...folded, ...toFold.map(nameOf)].slice(-MAX_FOLDED)
  }
}

/** A process that closes and starts again counts from 0 again. @param {{ memberId: string, openedAtMs: number }} of */
function nameOf ({ memberId, openedAtMs }) {
  return `${memberId} ${openedAtMs}`
}

/** @param {MetricsReading} reading @returns {Report} */
function toReport ({ memberId, openedAtMs, readAtMs, metrics }) {
  return { memberId, openedAtMs, readAtMs, goneSinceMs: null, metrics: countingOf(metrics) }
}

/** @param {Report} row @param {readonly Report[]} rows */
function isNewest ({ memberId, openedAtMs }, rows) {
  return rows.every(other => other.memberId !== memberId || other.openedAtMs <= openedAtMs)
}

/** @param {readonly Report[]} rows @param {number} nowMs */
function foldable (rows, nowMs) {
  const gone = rows.filter(({ goneSinceMs }) => goneSinceMs !== null).sort((left, right) => Number(right.goneSinceMs) - Number(left.goneSinceMs))
  return gone.filter(({ goneSinceMs }, at) => at >= MAX_GONE || nowMs - Number(goneSinceMs) >= FOLD_AFTER_MS)
}

/** @param {Totals} totals @returns {(readonly Metric[])[]} the sets to add up */
function countedOf ({ reports, departed }) {
  return [...Object.values(reports).map(({ metrics }) => metrics), departed]
}

/** @param {Metric} metric */
function isCounting ({ type, aggregator }) {
  return COUNTING_TYPES.includes(type) && aggregator === 'sum'
}

/** @param {readonly Metric[]} metrics */
function countingOf (metrics) {
  return metrics.filter(isCounting).map(withoutQuantiles).map(metric => ({ ...metric, values: metric.values.filter(canBeSummed) }))
}

/**
 * A value that is not a number, or near the largest one, would make the sum NaN or infinite forever.
 * @param {Metric['values'][number]} value
 */
function canBeSummed ({ value }) {
  return [value].flat().every(part => Math.abs(Number(part)) < MAX_COUNT)
}

/** @param {readonly Metric[]} metrics */
function currentOf (metrics) {
  return metrics.filter(metric => !isCounting(metric)).map(withoutQuantiles)
}

/**
 * Removes quantiles: those of several processes can neither be added nor averaged.
 * @param {Metric} metric
 * @returns {Metric}
 */
function withoutQuantiles (metric) {
  if (metric.type !== 'summary') return metric
  return { ...metric, values: metric.values.filter(({ labels }) => labels.quantile === undefined) }
}

module.exports = { addReports, countedOf, currentOf, FOLD_AFTER_MS, MAX_GONE, NO_REPORTS, toTotals }
