'use strict'

// Reports the metrics that OpenTelemetry's semantic conventions define through the meter of the SDK that is registered in this process: under their
// names, at each export of the SDK. Nothing is loaded: an SDK is in a global that every copy of @opentelemetry/api 1.x shares.

const { name: packageName, version } = require('../../../package.json')
const { guarded } = require('../../base/guard')
const { BOUNDS_SECONDS } = require('../../probe/heap/collections')
const { DEFINITIONS } = require('./definitions')

/** @import { MetricDefinition, MetricSources, NumberDefinition } from './definitions' */
/** @import { CollectionType } from '../../probe/heap/collections' */

/** @typedef {MetricDefinition & { convention: NonNullable<MetricDefinition['convention']> }} Defined */

// OpenTelemetry's own instrumentation of the runtime reports the same ones: twice is wrong in every sum.
const OF_THE_RUNTIME = /^(?:nodejs|v8js)\./
const INSTRUMENTATION = /[\\/]@opentelemetry[\\/]instrumentation-runtime-node[\\/]/

/** @type {Readonly<Record<string, string>>} */
const CREATE = Object.freeze({
  counter: 'createObservableCounter',
  gauge: 'createObservableGauge',
  'up-down-counter': 'createObservableUpDownCounter'
})

/**
 * One set for each SDK: several applications of a process show the same numbers, until all release them.
 * @type {WeakMap<object, { instruments: MeterInstruments, holders: number }>}
 */
const setByProvider = new WeakMap()

/**
 * @param {any} provider  the registered MeterProvider
 * @param {MetricSources} sources
 * @returns {() => void} releases them
 */
function holdMeter (provider, sources) {
  const set = setByProvider.get(provider) ?? { instruments: new MeterInstruments(provider.getMeter(packageName, version), sources), holders: 0 }
  setByProvider.set(provider, set)
  set.instruments.start()
  set.holders++
  return () => {
    if (--set.holders > 0) return
    set.instruments.stop()
    setByProvider.delete(provider)
  }
}

class MeterInstruments {
  #meter
  #sources
  /** @type {Map<Defined & NumberDefinition, any>} */
  #observables = new Map()
  /** @type {((type: CollectionType, seconds: number) => void) | undefined} */
  #onCollection

  /**
   * @param {any} meter  of @opentelemetry/api
   * @param {MetricSources} sources
   */
  constructor (meter, sources) {
    this.#meter = meter
    this.#sources = sources
  }

  start () {
    if (this.#observables.size > 0) return
    for (const definition of definitionsHere()) {
      const { convention: { name, unit, instrument }, help: description } = definition
      if (definition.type === 'histogram') this.#recordCollections(name, { unit, description })
      else this.#observables.set(definition, this.#meter[CREATE[instrument]](name, { unit, description }))
    }
    this.#meter.addBatchObservableCallback(this.#observe, [...this.#observables.values()])
  }

  stop () {
    this.#meter.removeBatchObservableCallback(this.#observe, [...this.#observables.values()])
    this.#observables.clear()
    if (this.#onCollection !== undefined) this.#sources.collections?.listeners.delete(this.#onCollection)
    this.#onCollection = undefined
  }

  /**
   * A histogram cannot be observed, only recorded: collections are few.
   * @param {string} name
   * @param {{ unit: string, description: string }} options
   */
  #recordCollections (name, options) {
    const histogram = this.#meter.createHistogram(name, { ...options, advice: { explicitBucketBoundaries: [...BOUNDS_SECONDS] } })
    this.#onCollection = guarded((type, seconds) => histogram.record(seconds, { 'v8js.gc.type': type }))
    this.#sources.collections?.listeners.add(this.#onCollection)
  }

  #observe = guarded((/** @type {any} */ result) => {
    for (const [{ collect, labelNames, convention: { attributes = [] } }, observable] of this.#observables) {
      for (const { labels = {}, value } of collect(/** @type {Required<MetricSources>} */ (this.#sources))) {
        result.observe(observable, value, Object.fromEntries(attributes.map((attribute, index) => [attribute, labels[labelNames[index]]])))
      }
    }
  })
}

/**
 * Those that this process reports. The duration of requests is left to the SDK's instrumentation of HTTP: it would have to be recorded with each
 * request, and requests would count twice.
 * @returns {Defined[]}
 */
function definitionsHere () {
  const isInstrumented = Object.keys(require.cache).some(file => INSTRUMENTATION.test(file))
  return /** @type {Defined[]} */ (DEFINITIONS.filter(({ convention, type, source }) =>
    convention !== undefined && !(type === 'histogram' && source === 'requests') && !(isInstrumented && OF_THE_RUNTIME.test(convention.name))))
}

module.exports = { holdMeter }
