'use strict'

// Registers the metrics of definitions.js in a prom-client registry, and removes exactly those again. The numbers are in the parts that they are
// read from, so prom-client itself is not needed for it.

const { assertMethods, assertKnownKeys } = require('../../base/validate')
const { warnOnce } = require('../../base/warnings')
const { DEFINITIONS } = require('./definitions')

/** @import { Metric as PromClientMetric, Registry } from 'prom-client' */
/** @import { Logger } from '../../../types/diagnostics' */
/** @import { Exemplar, HistogramSample, Labels, MetricDefinition, MetricSources } from './definitions' */

/**
 * One line of the exposition.
 * @typedef {object} Value
 * @property {Record<string, string | number>} labels  its own labels
 * @property {Labels} [sharedLabels]                   those shared with the other lines of its histogram
 * @property {number} value
 * @property {string} [metricName]
 * @property {Exemplar} [exemplar]
 */

/** @type {WeakMap<Registry, { metrics: Metrics, holders: number }>} */
const setByRegistry = new WeakMap()

/**
 * One set per registry: two applications of a process that share a registry show the same numbers, until both release them.
 * @param {Parameters<typeof createMetrics>[0]} parts
 * @returns {() => void} releases them
 */
function holdMetrics (parts) {
  const { registry } = parts
  const set = setByRegistry.get(registry) ?? { metrics: createMetrics(parts), holders: 0 }
  setByRegistry.set(registry, set)
  set.metrics.start()
  set.holders++
  return () => {
    if (--set.holders > 0) return
    set.metrics.stop()
    setByRegistry.delete(registry)
  }
}

/**
 * @param {object} parts
 * @param {Registry} parts.registry      a prom-client Registry, loopscope's or the application's own
 * @param {Pick<Logger, 'warn'>} parts.logger
 * @param {MetricSources} parts.sources  a metric whose source is missing is left out
 */
function createMetrics (parts) {
  assertKnownKeys('parts', parts, ['registry', 'logger', 'sources'])
  const { registry, logger, sources } = parts
  assertMethods('options.registry', registry, ['registerMetric', 'getSingleMetric', 'removeSingleMetric'])
  return new Metrics(registry, logger, sources)
}

class Metrics {
  #registry
  #logger
  #sources
  /** @type {Map<string, PromClientMetric>} by its name in the registry */
  #registered = new Map()
  #running = false

  /** @param {Registry} registry @param {Pick<Logger, 'warn'>} logger @param {MetricSources} sources */
  constructor (registry, logger, sources) {
    this.#registry = registry
    this.#logger = logger
    this.#sources = sources
  }

  get running () { return this.#running }

  start () {
    if (this.#running) return
    this.#running = true
    const taken = []
    for (const definition of DEFINITIONS) {
      if (!hasSource(this.#sources, definition)) continue
      if (this.#registry.getSingleMetric(definition.name) === undefined) this.#register(definition)
      else taken.push(definition.name)
    }
    // One warning with all names: it is logged once per process.
    if (taken.length > 0) warnOnce(this.#logger, 'LOOPSCOPE_WARN_METRIC_TAKEN', taken.join(', '))
  }

  /** @param {MetricDefinition} definition */
  #register (definition) {
    const metric = /** @type {PromClientMetric} */ (/** @type {unknown} */ (createMetric(definition, this.#sources, this.#logger)))
    this.#registry.registerMetric(metric)
    this.#registered.set(definition.name, metric)
  }

  stop () {
    for (const [name, metric] of this.#registered) {
      // The application may have cleared its registry and registered something else.
      if (this.#registry.getSingleMetric(name) === metric) this.#registry.removeSingleMetric(name)
    }
    this.#registered.clear()
    this.#running = false
  }
}

/** @param {MetricSources} sources @param {MetricDefinition} definition */
function hasSource (sources, { source }) {
  return sources[source] !== undefined || (sources.observer?.sources ?? []).some(name => name === source)
}

/**
 * One metric as the registry expects it: a plain object that reads numbers which are already cumulative. Nothing is observed twice, labeled twice
 * or reset, so scrapers and cluster workers do not affect each other.
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
    async getForPromString () {
      // this.name: in OpenMetrics mode prom-client removes _total from the name here and adds it again on every line.
      return { name: this.name, help, type, aggregator, values: await collectSafely(definition, sources, logger) }
    },
    // For JSON and so for cluster aggregation, which supports plain labels only.
    async get () {
      const reading = await this.getForPromString()
      return { ...reading, values: reading.values.map(({ sharedLabels, labels, ...value }) => ({ ...value, labels: { ...sharedLabels, ...labels } })) }
    },
    // registry.resetMetrics() is for tests of the application's own metrics; loopscope's counts are kept elsewhere.
    reset () {}
  }
}

/**
 * If a source fails, or the observer is gone, its metric has no values and the rest of the scrape is not affected.
 * @param {MetricDefinition} definition
 * @param {MetricSources} sources
 * @param {Pick<Logger, 'warn'>} logger
 * @returns {Promise<Value[]>}
 */
async function collectSafely (definition, sources, logger) {
  try {
    // Optional sources of a metric are read with ?. there.
    const given = /** @type {Required<MetricSources>} */ ({ ...sources, ...await sources.observer?.read() })
    if (given[definition.source] === undefined) return []
    if (definition.type !== 'histogram') return definition.collect(given).map(({ labels = {}, value, exemplar }) => ({ labels, value, ...(exemplar && { exemplar }) }))
    return definition.collect(given).flatMap(sample => histogramValues(definition.name, sample))
  } catch (error) {
    warnOnce(logger, 'LOOPSCOPE_WARN_INTERNAL', error)
    return []
  }
}

/** @param {string} name @param {HistogramSample} sample @returns {Value[]} */
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

/** @param {readonly Exemplar[]} exemplars @param {number} [above] @param {number} [upTo] */
function exemplarWithin (exemplars, above = -Infinity, upTo = Infinity) {
  const exemplar = exemplars.find(({ value }) => value > above && value <= upTo)
  return exemplar && { exemplar }
}

module.exports = { createMetrics, holdMetrics }
