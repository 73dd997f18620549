'use strict'

// One metric as prom-client's registry wants it, without prom-client: a plain object that reads numbers which are already
// cumulative. Nothing is observed twice, labelled twice or reset, so scrapers and cluster workers cannot take from each other.

const { warnOnce } = require('../../shared/base/warnings')

/** @import { BucketReading } from '../../shared/base/bucket-counts' */
/** @import { Logger } from '../../../types/diagnostics' */
/** @import { Exemplar } from './exemplars' */
/** @import { MetricSources } from './metrics' */

/** @typedef {Record<string, string>} Labels */
/** @typedef {{ labels?: Labels, value: number, exemplar?: Exemplar }} NumberSample */
/** @typedef {{ labels?: Labels, reading: BucketReading, exemplars?: Exemplar[] }} HistogramSample  exemplars: newest first */

/**
 * @typedef {object} DefinitionHead
 * @property {string} name
 * @property {string} help
 * @property {readonly string[]} labelNames
 * @property {'sum' | 'max' | 'average' | 'first'} aggregator  how prom-client's AggregatorRegistry joins the workers of a cluster
 * @property {keyof MetricSources} source                     without it the metric is not registered
 */
/**
 * @typedef {DefinitionHead & { type: 'counter' | 'gauge', collect: (sources: Required<MetricSources>) => NumberSample[] }} NumberDefinition
 * @typedef {DefinitionHead & { type: 'histogram', collect: (sources: Required<MetricSources>) => HistogramSample[] }} HistogramDefinition
 * @typedef {NumberDefinition | HistogramDefinition} MetricDefinition
 */

/**
 * A line of the exposition.
 * @typedef {object} Value
 * @property {Record<string, string | number>} labels  its own labels
 * @property {Labels} [sharedLabels]                   those that it has in common with the other lines of its histogram
 * @property {number} value
 * @property {string} [metricName]
 * @property {Exemplar} [exemplar]
 */

/**
 * @param {MetricDefinition} definition
 * @param {MetricSources} sources
 * @param {Pick<Logger, 'warn'>} logger
 */
function createMetric (definition, sources, logger) {
  const { name, help, type, aggregator } = definition
  return {
    name,
    help,
    type,
    aggregator,
    // For text: prom-client formats the shared labels once for all lines of a histogram, not once for each of seventeen.
    getForPromString () {
      // this.name: in OpenMetrics mode prom-client takes _total off the name here and puts it back on every line.
      return { name: this.name, help, type, aggregator, values: collectSafely(definition, sources, logger) }
    },
    // For JSON and so for cluster aggregation, which knows plain labels only.
    get () {
      const reading = this.getForPromString()
      return { ...reading, values: reading.values.map(withAllLabels) }
    },
    // registry.resetMetrics() is for tests of the application's own metrics; these count what the parts keep counting.
    reset () {}
  }
}

/**
 * A source that fails leaves its metric without values and the rest of the scrape alone.
 * @param {MetricDefinition} definition
 * @param {MetricSources} sources
 * @param {Pick<Logger, 'warn'>} logger
 * @returns {Value[]}
 */
function collectSafely (definition, sources, logger) {
  try {
    // Registered only with its own source; others that are optional to it are looked at with ?. there.
    const given = /** @type {Required<MetricSources>} */ (sources)
    if (definition.type !== 'histogram') return definition.collect(given).map(numberValue)
    return definition.collect(given).flatMap(sample => histogramValues(definition.name, sample))
  } catch (error) {
    warnOnce(logger, 'LOOPSCOPE_WARN_INTERNAL', error)
    return []
  }
}

/**
 * @param {NumberSample} sample
 * @returns {Value}
 */
function numberValue ({ labels = {}, value, exemplar }) {
  return { labels, value, ...(exemplar && { exemplar }) }
}

/**
 * @param {string} name
 * @param {HistogramSample} sample
 * @returns {Value[]}
 */
function histogramValues (name, { labels = {}, reading, exemplars = [] }) {
  const sharedLabels = labels
  const bucketName = `${name}_bucket`
  /** @type {Value[]} */
  const values = reading.bounds.map((bound, index) => ({
    metricName: bucketName,
    labels: { le: bound },
    sharedLabels,
    value: reading.counts[index],
    ...exemplarWithin(exemplars, reading.bounds[index - 1], bound)
  }))
  values.push(
    { metricName: bucketName, labels: { le: '+Inf' }, sharedLabels, value: reading.count, ...exemplarWithin(exemplars, reading.bounds.at(-1)) },
    { metricName: `${name}_sum`, labels: {}, sharedLabels, value: reading.sum },
    { metricName: `${name}_count`, labels: {}, sharedLabels, value: reading.count }
  )
  return values
}

/**
 * @param {readonly Exemplar[]} exemplars
 * @param {number} [above]
 * @param {number} [upTo]
 */
function exemplarWithin (exemplars, above = -Infinity, upTo = Infinity) {
  const exemplar = exemplars.find(({ value }) => value > above && value <= upTo)
  return exemplar && { exemplar }
}

/**
 * @param {Value} value
 * @returns {Value}
 */
function withAllLabels ({ sharedLabels, labels, ...value }) {
  return { ...value, labels: { ...sharedLabels, ...labels } }
}

module.exports = { createMetric }
