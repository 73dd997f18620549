'use strict'

// The metrics of several processes as those of one, by the aggregator of each metric, which prom-client's metrics carry too.

const { sumHistograms } = require('./sum-histograms')
const { exactParts, roundedSum } = require('../../base/exact-sum')
const { gatherSeries } = require('./gather-series')

/**
 * @typedef {object} Value
 * @property {Record<string, string | number>} labels
 * @property {string} [metricName]    where it is not the metric's: `_bucket`, `_sum`, `_count`
 * @property {number | string | number[]} value  as text what JSON has no number for; the parts of an exact sum
 * @property {{ labelSet: Record<string, string | number>, value: number, timestamp?: number }} [exemplar]  of one process; sums have none
 *
 * @typedef {object} Metric  as a registry's getMetricsAsJSON() tells it, plain data
 * @property {string} name
 * @property {string} help
 * @property {string} type
 * @property {string} aggregator
 * @property {Value[]} values
 */

/** What is not `sum`. @type {Readonly<Record<string, (numbers: number[]) => number>>} */
const AGGREGATORS = Object.freeze({
  average: numbers => roundedSum(exactParts(numbers)) / numbers.length,
  min: numbers => numbers.reduce((least, number) => Math.min(least, number)),
  max: numbers => numbers.reduce((most, number) => Math.max(most, number)),
  first: ([number]) => number
})
const OMITTED = 'omit'

/** @typedef {(parts: number[]) => Value['value']} WriteSum  what is told of the parts of a sum */

/**
 * @param {readonly (readonly Metric[])[]} sets  one a process; a metric, or a series of it, may be missing in some
 * @param {WriteSum} [writeSum]
 * @returns {Metric[]}
 */
function sumMetrics (sets, writeSum = roundedSum) {
  /** @type {Map<string, Metric[]>} */
  const byName = new Map()
  for (const metric of sets.flat()) {
    const same = byName.get(metric.name)
    if (same === undefined) byName.set(metric.name, [metric])
    else same.push(metric)
  }
  return [...byName.values()].flatMap(metrics => metrics[0].aggregator === OMITTED ? [] : sumMetric(metrics, writeSum))
}

/**
 * @param {Metric[]} metrics  of one name
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

module.exports = { sumMetrics }
