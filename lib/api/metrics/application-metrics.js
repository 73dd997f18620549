'use strict'

// The metrics of an application, in the registry that was passed in, in the application's default one, or in loopscope's own. Other parts count the
// numbers, so nothing is lost if the metrics are created late: prom-client is loaded when something reads them.

const { guarded } = require('../../base/guard')
const { clearTimeout, setTimeout } = require('../../base/timers')
const { registeredMeters } = require('../../probe/open-telemetry')
const { version } = require('../../../package.json')

/** @import { Registry } from 'prom-client' */
/** @import { Logger } from '../../../types/diagnostics' */
/** @import { Counts } from '../../observer/counts' */
/** @import { Instruments } from '../../probe/instruments' */
/** @import { MetricSources } from './definitions' */

// When an OpenTelemetry SDK is looked for: many applications register one a moment after the start.
const LOOK_MS = Object.freeze([0, 2000, 10_000, 60_000])

class ApplicationMetrics {
  #parts
  /** @type {Registry | undefined} */
  #registry
  /** Set while it runs. @type {MetricSources | undefined} */
  #sources
  /** @type {(() => void) | undefined} */
  #release
  /** @type {(() => void) | undefined} */
  #releaseMeter
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /**
   * @param {object} parts
   * @param {Registry | undefined} parts.registry  option
   * @param {() => Registry | undefined} parts.find  the application's; undefined: loopscope's own is used
   * @param {Logger} parts.logger
   */
  constructor (parts) {
    this.#parts = parts
    this.#registry = parts.registry
  }

  /** The registry, with loopscope's metrics in it. */
  get registry () {
    this.#registry ??= this.#parts.find() ?? new (require('prom-client').Registry)()
    this.#hold()
    return this.#registry
  }

  /** @param {MetricSources} sources */
  start (sources) {
    this.#sources = sources
    this.#hold()
    this.#look(sources)
  }

  stop () {
    this.#release?.()
    this.#releaseMeter?.()
    clearTimeout(this.#timer)
    this.#release = this.#releaseMeter = this.#timer = undefined
    this.#sources = undefined
  }

  /** @param {MetricSources} sources @param {number} [attempt] */
  #look (sources, attempt = 0) {
    if (attempt === LOOK_MS.length) return
    this.#timer = setTimeout(guarded(() => {
      const meters = registeredMeters()
      if (meters === undefined) this.#look(sources, attempt + 1)
      else this.#releaseMeter = require('./open-telemetry-meter').holdMeter(meters, sources)
    }), LOOK_MS[attempt]).unref()
  }

  #hold () {
    if (this.#registry === undefined || this.#sources === undefined || this.#release !== undefined) return
    this.#release = require('./metrics').holdMetrics({ registry: this.#registry, logger: this.#parts.logger, sources: this.#sources })
  }
}

/**
 * The sources of a handle's metrics: the parts of the process, and the requests of the handles.
 * @template Requests
 * @param {Instruments} instruments
 * @param {Requests} requests
 */
function metricSources (instruments, requests) {
  const { loop, exactCalls, heap, jobs, collections } = instruments
  return {
    delay: loop.delay,
    iterations: loop.iterations,
    utilization: loop.utilization,
    exactCalls,
    jobs,
    clock: { get recentMaxStalenessMs () { return instruments.clocks.clockIfUsed?.recentMaxStalenessMs ?? null } },
    collections,
    heapSpaces: { read: () => process.getBuiltinModule('node:v8').getHeapSpaceStatistics() }, // loaded with the first reading
    heap: { trend: () => heap.trend },
    requests,
    overhead: { read: () => instruments.overhead(), get observerRestarts () { return instruments.observerRestarts } },
    version,
    observer: { sources: countedFor(instruments), read: () => instruments.counts() }
  }
}

/**
 * What the observer counts; calls, egress and threads only if enabled.
 * @param {Instruments} instruments
 * @returns {(keyof Counts)[]}
 */
function countedFor ({ options, egress }) {
  /** @type {(keyof Counts)[]} */
  const always = ['stalls', 'syncCalls', 'pool', 'captures', 'memory', 'admin', 'rules']
  /** @type {[keyof Counts, boolean][]} */
  const sometimes = [['calls', options.dependencyCalls], ['threads', options.threads], ['egress', egress.isOpen]]
  return [...always, ...sometimes.flatMap(([name, isThere]) => isThere ? [name] : [])]
}

module.exports = { ApplicationMetrics, metricSources }
