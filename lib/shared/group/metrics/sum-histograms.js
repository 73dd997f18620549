'use strict'

// Histograms of one name added up. While two versions of an application run side by side their buckets may differ: a histogram
// without a bucket counts there with its next lower one, so that the sum still grows from bucket to bucket, and in time.

const { exactParts } = require('../../base/exact-sum')
const { gatherSeries, keyOf } = require('./gather-series')

/** @import { Metric, Value, WriteSum } from './sum-metrics' */

/**
 * @typedef {Map<number, number>} Counts  up to each bound
 *
 * @typedef {object} Buckets  of the same labels but `le`
 * @property {Value['labels']} labels
 * @property {string} metricName
 * @property {Counts[]} histograms
 */

/**
 * @param {readonly Metric[]} metrics
 * @param {WriteSum} writeSum
 * @returns {Value[]}
 */
function sumHistograms (metrics, writeSum) {
  /** @type {Map<string, Buckets>} */
  const byLabels = new Map()
  for (const { values } of metrics) {
    /** @type {Map<string, Counts>} */
    const counts = new Map() // of this one
    for (const value of values.filter(isBucket)) addBucket(value, counts, byLabels)
  }
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

/**
 * @param {Value} value
 * @param {Map<string, Counts>} counts
 * @param {Map<string, Buckets>} byLabels
 */
function addBucket ({ labels: { le, ...labels }, metricName = '', value }, counts, byLabels) {
  const key = keyOf(labels)
  let own = counts.get(key)
  if (own === undefined) {
    own = new Map()
    counts.set(key, own)
    const buckets = byLabels.get(key)
    if (buckets !== undefined) buckets.histograms.push(own)
    else byLabels.set(key, { labels, metricName, histograms: [own] })
  }
  own.set(le === '+Inf' ? Infinity : Number(le), Number(value))
}

/** @param {Buckets} buckets */
function sumBuckets ({ labels, metricName, histograms }) {
  const bounds = [...new Set(histograms.flatMap(counts => [...counts.keys()]))].sort((left, right) => left - right)
  const reached = histograms.map(() => 0)
  return bounds.map(bound => {
    histograms.forEach((counts, at) => { reached[at] = counts.get(bound) ?? reached[at] })
    const value = reached.reduce((sum, count) => sum + count, 0)
    return { labels: { le: bound === Infinity ? '+Inf' : bound, ...labels }, metricName, value }
  })
}

module.exports = { sumHistograms }
