'use strict'

// Counts garbage collections by type, and notes when each one ran. Measured in a process that allocates and does nothing else: 1,000 collections a
// second cost less than the noise of the measurement.

const { PerformanceObserver, constants } = require('node:perf_hooks')
const { BucketCounts } = require('../../base/bucket-counts')
const { guarded } = require('../../base/guard')
const { fromPerformanceNow } = require('../../base/monotonic')
const { OTHER_RUNTIME } = require('../../base/system/runtime')

/** @import { BucketReading } from '../../base/bucket-counts' */

// OpenTelemetry's conventions advise 0.01, 0.1, 1 and 10; its instrumentation of the runtime has these.
const BOUNDS_SECONDS = Object.freeze([0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10])

// Noted until they are handed over; beyond that they are only counted. Only short ones are so many.
const MAX_NOTED = 1000

/** @type {Readonly<Record<number, CollectionType>>} */
const TYPES = Object.freeze({
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb'
})

/** @typedef {'major' | 'minor' | 'incremental' | 'weakcb'} CollectionType  as OpenTelemetry names them */
/** @typedef {{ type: CollectionType, fromMicros: number, toMicros: number }} Collection */

class Collections {
  /** @type {Map<CollectionType, BucketCounts>} */
  #counts = new Map()
  /** @type {Collection[]} */
  #noted = []
  /** @type {PerformanceObserver | undefined} */
  #observer

  /** Called with each collection, a moment after it. @type {Set<(type: CollectionType, seconds: number) => void>} */
  listeners = new Set()

  start () {
    if (this.#observer !== undefined || OTHER_RUNTIME !== null) return // Bun and Deno report no collections
    this.#observer = new PerformanceObserver(guarded(list => this.#note(list.getEntries())))
    this.#observer.observe({ entryTypes: ['gc'] })
  }

  stop () {
    this.#observer?.disconnect()
    this.#observer = undefined
  }

  /** @returns {{ type: CollectionType, reading: BucketReading }[]} in seconds; the types seen so far */
  read () {
    return [...this.#counts].map(([type, counts]) => ({ type, reading: counts.read() }))
  }

  /** @returns {Collection[]} those since the last call, oldest first */
  take () {
    const taken = this.#noted
    this.#noted = []
    return taken
  }

  /** @param {import('node:perf_hooks').PerformanceEntry[]} entries */
  #note (entries) {
    for (const entry of entries) {
      const type = TYPES[/** @type {any} */ (entry).detail.kind]
      if (type === undefined) continue
      const seconds = entry.duration / 1e3
      const counts = this.#counts.get(type) ?? new BucketCounts(BOUNDS_SECONDS)
      this.#counts.set(type, counts)
      counts.observe(seconds)
      for (const listener of this.listeners) listener(type, seconds)
      if (this.#noted.length === MAX_NOTED) continue
      const fromMicros = fromPerformanceNow(entry.startTime)
      this.#noted.push({ type, fromMicros, toMicros: fromMicros + entry.duration * 1e3 })
    }
  }
}

module.exports = { Collections, BOUNDS_SECONDS }
