'use strict'

// How many captures there were, how they ended and how long they took. Counting only.

const { BucketCounts } = require('../internal/bucket-counts')

/** @import { CaptureKind, Trigger } from '../../types/diagnostics' */

/** @typedef {'ok' | 'failed' | 'cancelled' | 'skipped'} CaptureOutcome */

// A view of the past takes a fraction of a second, a capture forward up to five minutes.
const BOUNDS_SECONDS = Object.freeze([0.1, 0.5, 1, 5, 10, 30, 60, 120, 300])

function createTally () {
  return new Tally()
}

class Tally {
  /** @type {Map<string, { kind: CaptureKind, trigger: Trigger, outcome: CaptureOutcome, count: number }>} */
  #totals = new Map()
  /** @type {Map<CaptureKind, number>} */
  #inProgress = new Map()
  /** @type {Map<CaptureKind, BucketCounts>} */
  #durations = new Map()

  /** @param {CaptureKind} kind */
  begun (kind) {
    this.#inProgress.set(kind, (this.#inProgress.get(kind) ?? 0) + 1)
  }

  /**
   * @param {CaptureKind} kind
   * @param {Trigger} trigger
   * @param {CaptureOutcome} outcome
   * @param {number} seconds
   */
  ended (kind, trigger, outcome, seconds) {
    this.#inProgress.set(kind, (this.#inProgress.get(kind) ?? 0) - 1)
    const durations = this.#durations.get(kind) ?? new BucketCounts(BOUNDS_SECONDS)
    durations.observe(seconds)
    this.#durations.set(kind, durations)
    this.count(kind, trigger, outcome)
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

  read () {
    return {
      totals: [...this.#totals.values()],
      inProgress: [...this.#inProgress].map(([kind, count]) => ({ kind, count })),
      durations: [...this.#durations].map(([kind, counts]) => ({ kind, reading: counts.read() }))
    }
  }
}

module.exports = { createTally }
