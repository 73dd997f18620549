'use strict'

// Counts captures: how many, how they ended and how long they took.

const { BucketCounts } = require('../base/bucket-counts')
const { monotonicMicros } = require('../base/monotonic')

/** @import { CaptureKind, Trigger } from '../../types/diagnostics' */
/** @import { CaptureTotals } from './counts' */

/** @typedef {'ok' | 'failed' | 'cancelled' | 'skipped'} CaptureOutcome */

// A view of the past takes a fraction of a second, a recording of what follows up to five minutes.
const BOUNDS_SECONDS = Object.freeze([0.1, 0.5, 1, 5, 10, 30, 60, 120, 300])

class CaptureCounts {
  /** @type {Map<string, CaptureTotals['totals'][0]>} */
  #totals = new Map()
  /** @type {Map<CaptureKind, number>} */
  #inProgress = new Map()
  /** @type {Map<CaptureKind, BucketCounts>} */
  #durations = new Map()

  /**
   * Counts a capture and measures its duration.
   * @template T
   * @param {{ request: { kind: CaptureKind }, trigger: Trigger }} order
   * @param {AbortSignal} signal  aborted if the capture was cancelled
   * @param {() => Promise<T>} work
   */
  async around ({ request: { kind }, trigger }, signal, work) {
    const fromMicros = monotonicMicros()
    const end = (/** @type {CaptureOutcome} */ outcome) => {
      this.#addInProgress(kind, -1)
      this.count(kind, trigger, outcome)
      this.#durationsOf(kind).observe((monotonicMicros() - fromMicros) / 1e6)
    }
    this.#addInProgress(kind, 1)
    try {
      const result = await work()
      end('ok')
      return result
    } catch (error) {
      end(signal.aborted ? 'cancelled' : 'failed')
      throw error
    }
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

  /** @returns {CaptureTotals} */
  counts () {
    return {
      totals: [...this.#totals.values()],
      inProgress: [...this.#inProgress].map(([kind, count]) => ({ kind, count })),
      durations: [...this.#durations].map(([kind, counts]) => ({ kind, reading: counts.read() }))
    }
  }
}

module.exports = { CaptureCounts }
