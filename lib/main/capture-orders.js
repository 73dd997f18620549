'use strict'

// Captures as the main thread asks for them: the observer makes them, here they are ordered and counted, and their artifacts handed out.

const fs = require('node:fs')
const { BucketCounts } = require('../shared/base/bucket-counts')
const { monotonicMicros } = require('../shared/base/monotonic')

/** @import { Artifact, CaptureKind, Trigger } from '../../types/diagnostics' */
/** @import { Ask } from '../bridge/channel' */
/** @import { CapturedFacts, Order, StoreLocation } from '../observer/captures' */
/** @import { BucketReading } from '../shared/base/bucket-counts' */

/**
 * @typedef {'ok' | 'failed' | 'cancelled' | 'skipped'} CaptureOutcome
 * @typedef {{ kind: CaptureKind, trigger: Trigger, outcome: CaptureOutcome | 'started', seconds: number }} CapturedEvent
 *
 * @typedef {object} CaptureCountsReading
 * @property {{ kind: CaptureKind, trigger: Trigger, outcome: CaptureOutcome, count: number }[]} totals
 * @property {{ kind: CaptureKind, count: number }[]} inProgress
 * @property {{ kind: CaptureKind, reading: BucketReading }[]} durations
 */

// A view of the past takes a fraction of a second, a capture forward up to five minutes.
const BOUNDS_SECONDS = Object.freeze([0.1, 0.5, 1, 5, 10, 30, 60, 120, 300])

/**
 * @param {object} parts
 * @param {{ askWhenReady: Ask, hold <T>(work: () => Promise<T>): Promise<T> }} parts.observer
 */
function createCaptureOrders ({ observer }) {
  const counts = new CaptureCounts()
  return {
    counts,

    /**
     * @param {Order} order
     * @param {AbortSignal} [signal]
     * @returns {Promise<CapturedFacts>}
     */
    capture (order, signal) {
      return counts.around(order, signal, async () => {
        const ask = () => observer.askWhenReady('capture', { order }, signal)
        return order.trigger === 'api' ? observer.hold(ask) : ask()
      })
    },

    /**
     * Whether captures could be written, before one is needed.
     * @param {StoreLocation} location
     */
    async checkStore (location) {
      return observer.askWhenReady('prepareStore', { location })
    }
  }
}

/**
 * What the application is handed: the facts of a file in the store, and the file.
 * @param {CapturedFacts} facts
 * @returns {Artifact & Pick<CapturedFacts, 'hot'>}
 */
function createArtifact (facts) {
  return {
    ...facts,
    text: () => fs.promises.readFile(facts.path, 'utf8'),
    stream: () => fs.createReadStream(facts.path)
  }
}

/** How many captures there were, how they ended and how long they took. */
class CaptureCounts {
  /** @type {Map<string, { kind: CaptureKind, trigger: Trigger, outcome: CaptureOutcome, count: number }>} */
  #totals = new Map()
  /** @type {Map<CaptureKind, number>} */
  #inProgress = new Map()
  /** @type {Map<CaptureKind, BucketCounts>} */
  #durations = new Map()
  /** Under way without an order of ours. @type {{ kind: CaptureKind, trigger: Trigger, fromMicros: number }[]} */
  #startedByObserver = []

  /**
   * Counts a capture around the work it does.
   * @template T
   * @param {{ request: { kind: CaptureKind }, trigger: Trigger }} order
   * @param {AbortSignal | undefined} signal  that may have cancelled it
   * @param {() => Promise<T>} work
   */
  async around ({ request: { kind }, trigger }, signal, work) {
    const fromMicros = monotonicMicros()
    const end = (/** @type {CaptureOutcome} */ outcome) => this.#ended(kind, trigger, outcome, (monotonicMicros() - fromMicros) / 1e6)
    this.#addInProgress(kind, 1)
    try {
      const result = await work()
      end('ok')
      return result
    } catch (error) {
      end(signal?.aborted ? 'cancelled' : 'failed')
      throw error
    }
  }

  /**
   * Counts a capture that the observer ran by itself.
   * @param {CapturedEvent} event
   */
  note ({ kind, trigger, outcome, seconds }) {
    if (outcome === 'started') {
      this.#startedByObserver.push({ kind, trigger, fromMicros: monotonicMicros() })
      return this.#addInProgress(kind, 1)
    }
    const begun = this.#startedByObserver.findIndex(one => one.kind === kind && one.trigger === trigger)
    if (begun !== -1) this.#startedByObserver.splice(begun, 1)
    this.#ended(kind, trigger, outcome, seconds)
  }

  /** The observer is gone, and what it ran by itself with it. */
  onLost () {
    for (const { kind, trigger, fromMicros } of this.#startedByObserver.splice(0)) {
      this.#ended(kind, trigger, 'failed', (monotonicMicros() - fromMicros) / 1e6)
    }
  }

  /**
   * @param {CaptureKind} kind
   * @param {Trigger} trigger
   * @param {CaptureOutcome} outcome
   * @param {number} seconds
   */
  #ended (kind, trigger, outcome, seconds) {
    this.#addInProgress(kind, -1)
    this.count(kind, trigger, outcome)
    this.#durationsOf(kind).observe(seconds)
  }

  /**
   * @param {CaptureKind} kind
   * @param {Trigger} trigger
   * @param {CaptureOutcome} outcome
   */
  count (kind, trigger, outcome) {
    const key = `${kind} ${trigger} ${outcome}`
    const total = this.#totals.get(key) ?? { kind, trigger, outcome, count: 0 }
    total.count++
    this.#totals.set(key, total)
  }

  /**
   * @param {CaptureKind} kind
   * @param {number} change
   */
  #addInProgress (kind, change) {
    this.#inProgress.set(kind, (this.#inProgress.get(kind) ?? 0) + change)
  }

  /** @param {CaptureKind} kind */
  #durationsOf (kind) {
    const durations = this.#durations.get(kind) ?? new BucketCounts(BOUNDS_SECONDS)
    this.#durations.set(kind, durations)
    return durations
  }

  /** @returns {CaptureCountsReading} */
  read () {
    return {
      totals: [...this.#totals.values()],
      inProgress: [...this.#inProgress].map(([kind, count]) => ({ kind, count })),
      durations: [...this.#durations].map(([kind, counts]) => ({ kind, reading: counts.read() }))
    }
  }
}

module.exports = { CaptureCounts, createArtifact, createCaptureOrders }
