'use strict'

// Values of the same series, from several processes.

/** @import { Value } from './sum-metrics' */

/**
 * @typedef {object} Series
 * @property {Value['labels']} labels
 * @property {string} [metricName]
 * @property {number[]} numbers
 */

/**
 * @param {readonly Value[]} values
 * @returns {Series[]}
 */
function gatherSeries (values) {
  /** @type {Map<string, Series>} */
  const byKey = new Map()
  for (const { labels, metricName, value } of values) {
    const key = `${metricName ?? ''} ${keyOf(labels)}`
    const series = byKey.get(key)
    const numbers = Array.isArray(value) ? value : [Number(value)]
    if (series !== undefined) series.numbers.push(...numbers)
    else byKey.set(key, { labels, ...(metricName !== undefined && { metricName }), numbers: [...numbers] })
  }
  return [...byKey.values()]
}

/**
 * The same for the same labels, in whatever order.
 * @param {Value['labels']} labels
 */
function keyOf (labels) {
  return JSON.stringify(Object.keys(labels).sort().map(name => [name, String(labels[name])]))
}

module.exports = { gatherSeries, keyOf }
