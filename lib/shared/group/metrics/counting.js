'use strict'

// What of the metrics of a process goes on counting for its group when the process has ended, and what is only of now.

/** @import { Metric } from './sum-metrics' */

const MAX_COUNT = 1e300
const COUNTING_TYPES = Object.freeze(['counter', 'histogram', 'summary'])

/** @param {Metric} metric */
function isCounting ({ type, aggregator }) {
  return COUNTING_TYPES.includes(type) && aggregator === 'sum'
}

/** @param {readonly Metric[]} metrics */
function countingOf (metrics) {
  return metrics.filter(isCounting).map(withoutQuantiles).map(metric => ({ ...metric, values: metric.values.filter(canBeSummed) }))
}

/**
 * What is no number, or near the largest there are, would make the sum none for ever.
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
 * Quantiles of several processes can neither be added nor averaged.
 * @param {Metric} metric
 * @returns {Metric}
 */
function withoutQuantiles (metric) {
  if (metric.type !== 'summary') return metric
  return { ...metric, values: metric.values.filter(({ labels }) => labels.quantile === undefined) }
}

module.exports = { countingOf, currentOf }
