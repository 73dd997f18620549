'use strict'

// Puts our metrics into a prom-client registry and takes out exactly those again. The numbers belong to the parts they are
// read from (sources); a new metric is a row in a family's file, a new family a line in FAMILIES.

const { assertMethods, assertKnownKeys } = require('../../shared/base/validate')
const { warnOnce } = require('../../shared/base/warnings')
const { createMetric } = require('./metric')

/** @import { Metric as PromClientMetric, Registry } from 'prom-client' */
/** @import { Logger } from '../../../types/diagnostics' */
/** @import { MetricDefinition } from './metric' */
/** @import { EventLoopSources } from './event-loop' */
/** @import { StallSources } from './stalls' */
/** @import { HttpSources } from './http' */
/** @import { CaptureSources } from './captures' */
/** @import { SyncCallSources } from './sync-calls' */
/** @import { ThreadSources } from './threads' */
/** @import { ClockSources } from './clock' */
/** @import { HeapSources } from './heap' */
/** @import { AdminSources } from './admin' */
/** @import { EgressSources } from './egress' */
/** @import { RuleSources } from './rules' */
/** @import { OverheadSources } from './overhead' */

/**
 * @typedef {EventLoopSources & StallSources & HttpSources & CaptureSources & SyncCallSources & ThreadSources & ClockSources & HeapSources & AdminSources &
 *   EgressSources & RuleSources & OverheadSources} MetricSources  one shape a family
 */

const FAMILIES = Object.freeze([
  require('./event-loop'),
  require('./stalls'),
  require('./http'),
  require('./captures'),
  require('./sync-calls'),
  require('./threads'),
  require('./clock'),
  require('./heap'),
  require('./admin'),
  require('./egress'),
  require('./rules'),
  require('./overhead')
])

/** @type {readonly MetricDefinition[]} */
const DEFINITIONS = Object.freeze(FAMILIES.flat())

/**
 * @param {object} parts
 * @param {Registry} parts.registry      a prom-client Registry, ours or the application's own
 * @param {Pick<Logger, 'warn'>} parts.logger
 * @param {MetricSources} parts.sources  a metric whose source is not among them is left out
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
  /** @type {Map<string, PromClientMetric>} by the name under which the registry has it */
  #registered = new Map()
  #running = false

  /**
   * @param {Registry} registry
   * @param {Pick<Logger, 'warn'>} logger
   * @param {MetricSources} sources
   */
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
      if (this.#sources[definition.source] === undefined) continue
      if (this.#registry.getSingleMetric(definition.name) === undefined) this.#register(definition)
      else taken.push(definition.name)
    }
    // One warning that names all: it is logged once a process.
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
      // The application may have cleared its registry and put something else there.
      if (this.#registry.getSingleMetric(name) === metric) this.#registry.removeSingleMetric(name)
    }
    this.#registered.clear()
    this.#running = false
  }
}

/** @type {WeakMap<Registry, { metrics: Metrics, holders: number }>} */
const setByRegistry = new WeakMap()

/**
 * One set a registry: two applications of a process that share a registry show the same numbers, until both let go.
 * @param {Parameters<typeof createMetrics>[0]} parts
 * @returns {() => void} lets go
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

module.exports = { createMetrics, holdMetrics, DEFINITIONS }
