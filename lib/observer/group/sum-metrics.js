'use strict'

// Combines the metrics of several processes, by the aggregator of each metric, as defined by prom-client.

const { exactParts, groupBy, roundedSum, sum } = require('../../base/sums')

/**
 * @typedef {object} Value
 * @property {Record<string, string | number>} labels
 * @property {string} [metricName]    if it differs from the metric's: `_bucket`, `_sum`, `_count`
 * @property {number | string | number[]} value  a string if JSON has no such number; an array: the parts of an exact sum
 * @property {{ labelSet: Record<string, string | number>, value: number, timestamp?: number }} [exemplar]  of one process; sums have none
 *
 * @typedef {object} Metric  as a registry's getMetricsAsJSON() returns it, plain data
 * @property {string} name
 * @property {string} help
 * @property {string} type
 * @property {string} aggregator
 * @property {Value[]} values
 *
 * @typedef {(parts: number[]) => Value['value']} WriteSum  combines the parts of a sum
 *
 * @typedef {object} Histogram
 * @property {Value['labels']} labels  without `le`
 * @property {string} metricName
 * @property {Map<number, number>} counts  up to each bound
 *
 * @typedef {{ labels: Value['labels'], metricName?: string, numbers: number[] }} Series
 */

/** The aggregators except `sum`. @type {Readonly<Record<string, (numbers: number[]) => number>>} */
const AGGREGATORS = Object.freeze({
  average: numbers => roundedSum(exactParts(numbers)) / numbers.length,
  min: numbers => numbers.reduce((least, number) => Math.min(least, number)),
  max: numbers => numbers.reduce((most, number) => Math.max(most, number)),
  first: ([number]) => number
})
const OMITTED = 'omit'

/**
 * @param {readonly (readonly Metric[])[]} sets  one per process; a metric, or a series of it, may be missing in some
 * @param {WriteSum} [writeSum]
 * @returns {Metric[]}
 */
function sumMetrics (sets, writeSum = roundedSum) {
  const byName = groupBy(sets.flat(), ({ name }) => name)
  return [...byName.values()].flatMap(metrics => metrics[0].aggregator === OMITTED ? [] : sumMetric(metrics, writeSum))
}

/**
 * @param {Metric[]} metrics  all with the same name
 * @param {WriteSum} writeSum
 * @returns {Metric}
 */
function sumMetric (metrics, writeSum) {
  const { name, help, type, aggregator } = metrics[0]
  const other = Object.hasOwn(AGGREGATORS, aggregator) ? AGGREGATORS[aggregator] : undefined
  if (type === 'histogram' && other === undefined) return { name, help, type, aggregator, values: sumHistograms(metrics, writeSum) }
  const aggregate = other ?? (numbers => writeSum(exactParts(numbers)))
  const values = gatherSeries(metrics.flatMap(({ values }) => values)).map(({ numbers, ...series }) => {
    const known = numbers.filter(number => !Number.isNaN(number))
    return { ...series, value: known.length === 0 ? NaN : aggregate(known) }
  })
  return { name, help, type, aggregator, values }
}

/**
 * Adds up histograms of one name. While two versions of an application run side by side their buckets may differ: a histogram without a bucket counts
 * there with its next lower one, so that the sum still grows from bucket to bucket, and over time.
 * @param {readonly Metric[]} metrics
 * @param {WriteSum} writeSum
 * @returns {Value[]}
 */
function sumHistograms (metrics, writeSum) {
  const histograms = metrics.flatMap(({ values }) => [...groupBy(values.filter(isBucket), ({ labels: { le, ...labels } }) => keyOf(labels)).values()].map(toHistogram))
  const byLabels = groupBy(histograms, ({ labels }) => keyOf(labels))
  const rest = gatherSeries(metrics.flatMap(({ values }) => values.filter(value => !isBucket(value))))
  return [
    ...[...byLabels.values()].flatMap(sumBuckets),
    ...rest.map(({ numbers, ...series }) => ({ ...series, value: writeSum(exactParts(numbers)) }))
  ]
}

/** @param {Value} value */
function isBucket ({ labels }) {
  return labels.le !== undefined
}

/** @param {Value[]} buckets  of one series of one process @returns {Histogram} */
function toHistogram (buckets) {
  const [{ labels: { le, ...labels }, metricName = '' }] = buckets
  return { labels, metricName, counts: new Map(buckets.map(({ labels: { le }, value }) => [le === '+Inf' ? Infinity : Number(le), Number(value)])) }
}

/** @param {Histogram[]} histograms  of one series */
function sumBuckets (histograms) {
  const [{ labels, metricName }] = histograms
  const bounds = [...new Set(histograms.flatMap(({ counts }) => [...counts.keys()]))].sort((left, right) => left - right)
  const reached = histograms.map(() => 0)
  return bounds.map(bound => {
    histograms.forEach(({ counts }, at) => { reached[at] = counts.get(bound) ?? reached[at] })
    const value = sum(reached)
    return { labels: { le: bound === Infinity ? '+Inf' : bound, ...labels }, metricName, value }
  })
}

/** Collects the values of each series from several processes. @param {readonly Value[]} values @returns {Series[]} */
function gatherSeries (values) {
  const bySeries = groupBy(values, ({ metricName, labels }) => `${metricName ?? ''} ${keyOf(labels)}`)
  return [...bySeries.values()].map(same => {
    const [{ labels, metricName }] = same
    return { labels, ...(metricName !== undefined && { metricName }), numbers: same.flatMap(({ value }) => Array.isArray(value) ? value : [Number(value)]) }
  })
}

/** The same key for the same labels, in any order. @param {Value['labels']} labels */
function keyOf (labels) {
  return JSON.stringify(Object.keys(labels).sort().map(name => [name, String(labels[name])]))
}

module.exports = { sumMetrics }
