'use strict'

// What the system did to us over the last seconds, kept so that a stall can be explained after it happened: the stall's
// beginning is known only when it is over. It lives in the observer thread.

const { monotonicMicros } = require('../internal/monotonic')

/** @import { SchedulerReading } from './scheduler' */

const KEPT = 64 // readings; one comes every 40-120 ms while all is well, none while the loop is stuck
const NOTABLE_LATE_MS = 5 // timers of a busy machine are this late without meaning anything

/** @param {{ scheduler: { read (): SchedulerReading } }} parts */
function createEvidence ({ scheduler }) {
  return new Evidence(scheduler)
}

class Evidence {
  #scheduler
  /** @type {(SchedulerReading & { micros: number, lateMs: number })[]} */
  #readings = []

  /** @param {{ read (): SchedulerReading }} scheduler */
  constructor (scheduler) {
    this.#scheduler = scheduler
  }

  /**
   * Takes a reading.
   * @param {number} lateMs  how late this thread was to take it
   */
  note (lateMs) {
    const reading = this.#scheduler.read()
    const ownMs = difference(reading.observerCpuMs, this.#readings.at(-1)?.observerCpuMs ?? null) ?? 0
    // Late because this thread was at work itself (encoding a capture) says nothing about the system.
    const unexplainedMs = Math.max(0, lateMs - ownMs)
    this.#readings.push({ ...reading, micros: monotonicMicros(), lateMs: unexplainedMs < NOTABLE_LATE_MS ? 0 : unexplainedMs })
    if (this.#readings.length > KEPT) this.#readings.shift()
  }

  /**
   * What happened from a moment until now, none of it more than the time itself.
   * @param {number} fromMicros
   */
  since (fromMicros) {
    this.note(0)
    const now = /** @type {NonNullable<ReturnType<typeof this.at>>} */ (this.at(Infinity))
    const before = this.at(fromMicros) ?? this.#readings[0]
    const maxMs = (now.micros - fromMicros) / 1e3
    const lateMs = this.#readings.reduce((sum, reading) => reading.micros > fromMicros ? sum + reading.lateMs : sum, 0)
    return {
      cpuMs: atMost(maxMs, difference(now.cpuMs, before.cpuMs)),
      runQueueMs: atMost(maxMs, difference(now.runQueueMs, before.runQueueMs)),
      throttledMs: atMost(maxMs, difference(now.throttledMs, before.throttledMs)),
      observerLateMs: atMost(maxMs, lateMs)
    }
  }

  /**
   * The last reading taken up to a moment.
   * @param {number} micros
   */
  at (micros) {
    return this.#readings.findLast(reading => reading.micros <= micros)
  }
}

/**
 * @param {number | null} now
 * @param {number | null} before
 */
function difference (now, before) {
  return now === null || before === null ? null : Math.max(0, now - before)
}

/**
 * @param {number} max
 * @param {number | null} value
 */
function atMost (max, value) {
  return value === null ? null : Math.round(Math.min(max, value) * 10) / 10
}

module.exports = { createEvidence }
