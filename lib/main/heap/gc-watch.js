'use strict'

// Reads how much of the heap is used after a full collection, on the main thread. Between two readings nothing is done but to
// look at the kind of each collection.

const { PerformanceObserver, constants } = require('node:perf_hooks')
const { guarded } = require('../../shared/base/guard')
const { monotonicMs } = require('../../shared/base/monotonic')
const { createTrend } = require('./trend')

/** @import { HeapTrend } from './trend' */

const MIN_INTERVAL_MS = 10_000 // a slope of minutes needs no more

const v8 = () => process.getBuiltinModule('node:v8') // loaded by who watches

/**
 * @param {{ limitBytes?: number, minIntervalMs?: number, now?: () => number }} [options]  limitBytes: of the old generation
 */
function createGcWatch (options) {
  return new GcWatch(options)
}

class GcWatch {
  #limitBytes
  #minIntervalMs
  #now
  #trend = createTrend()
  #lastAtMs = -Infinity
  /** @type {PerformanceObserver | undefined} */
  #observer

  /** @param {Parameters<typeof createGcWatch>[0]} [options] */
  constructor ({ limitBytes = v8().getHeapStatistics().heap_size_limit, minIntervalMs = MIN_INTERVAL_MS, now = monotonicMs } = {}) {
    this.#limitBytes = limitBytes
    this.#minIntervalMs = minIntervalMs
    this.#now = now
  }

  start () {
    if (this.#observer !== undefined) return
    this.#observer = new PerformanceObserver(guarded(list => {
      if (list.getEntries().some(isFull)) this.#read()
    }))
    this.#observer.observe({ entryTypes: ['gc'] })
  }

  stop () {
    this.#observer?.disconnect()
    this.#observer = undefined
  }

  /** @returns {HeapTrend} */
  trend () {
    return this.#trend.read(this.#limitBytes)
  }

  #read () {
    const atMs = this.#now()
    if (atMs - this.#lastAtMs < this.#minIntervalMs) return
    this.#lastAtMs = atMs
    const spaces = Object.fromEntries(v8().getHeapSpaceStatistics().map(({ space_name: name, space_used_size: bytes }) => [name, bytes]))
    // What is young has not been looked at by anybody: it is not what was left.
    const bytes = Object.entries(spaces).reduce((sum, [name, used]) => name.startsWith('new_') ? sum : sum + used, 0)
    this.#trend.add({ atMs, bytes, spaces })
  }
}

/** @param {any} entry */
function isFull ({ detail }) {
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR
}

module.exports = { createGcWatch }
