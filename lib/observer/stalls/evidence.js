'use strict'

// Keeps what the operating system did to the process over the last seconds, so that a stall can be explained after it happened: when a stall
// began is known only when it is over. It runs in the observer thread.

const { monotonicMicros: systemMonotonicMicros } = require('../../base/monotonic')

/** @import { SharedState } from '../../link/shared-state' */
/** @import { SchedulerReading } from './scheduler' */

const KEPT = 64 // readings; one comes every 40-120 ms, and those of a stuck loop count as one
const MAX_MISSED_SHARE = 1 / 2 // of a stall that began before the observer started: readings of the rest prove too little
const NO_EVIDENCE = Object.freeze({ cpuMs: null, runQueueMs: null, throttledMs: null, observerLateMs: null })
const SHORTAGE_MS = 2000 // how far back isShort() checks for spare CPU time
const MAX_WAITING_SHARE = 0.15 // of SHORTAGE_MS: on a shared machine every process waits a little
const NOTABLE_LATE_MS = 5 // on a busy machine timers are this late without any meaning

class Evidence {
  #scheduler
  #state
  #monotonicMicros
  /** @type {{ system: () => SchedulerReading, micros: number, tickMicros: number, lateMs: number }[]} */
  #readings = []

  /**
   * @param {object} parts
   * @param {{ take (): () => SchedulerReading }} parts.scheduler
   * @param {Pick<SharedState, 'tickMicros'>} parts.state
   * @param {() => number} [parts.monotonicMicros]
   */
  constructor ({ scheduler, state, monotonicMicros = systemMonotonicMicros }) {
    this.#scheduler = scheduler
    this.#state = state
    this.#monotonicMicros = monotonicMicros
  }

  /**
   * Takes a reading.
   * @param {number} lateMs  how late this thread took it
   */
  note (lateMs) {
    const { tickMicros } = this.#state
    const system = this.#scheduler.take()
    const last = this.#readings.at(-1)
    const unexplainedMs = lateMs < NOTABLE_LATE_MS ? 0 : this.#unexplained(lateMs, system(), last?.system())
    const notableMs = unexplainedMs < NOTABLE_LATE_MS ? 0 : unexplainedMs
    // However long the loop is stuck, the reading from before the stall must still be there when it is over; if there is none, the very first.
    const isStuck = this.#readings.length > 1 && last?.tickMicros === tickMicros
    const stuckLateMs = isStuck ? /** @type {NonNullable<typeof last>} */ (this.#readings.pop()).lateMs : 0
    this.#readings.push({ system, micros: this.#monotonicMicros(), tickMicros, lateMs: stuckLateMs + notableMs })
    if (this.#readings.length > KEPT) this.#readings.shift()
  }

  /**
   * Lateness that this thread's own CPU time (encoding a capture) or its wait for a CPU explains does not prove that the process stood still.
   * @param {number} lateMs
   * @param {SchedulerReading} now
   * @param {SchedulerReading} [before]
   */
  #unexplained (lateMs, now, before) {
    const atWorkMs = difference(now.observerCpuMs, before?.observerCpuMs ?? null) ?? 0
    const inLineMs = difference(now.observerRunQueueMs, before?.observerRunQueueMs ?? null) ?? 0
    return Math.max(0, lateMs - atWorkMs - inLineMs)
  }

  /**
   * What happened from one moment to another, each figure at most the time itself; null also where the first reading came too late.
   * @param {number} fromMicros
   * @param {number} [toMicros]  default: now
   * @returns {{ cpuMs: number | null, runQueueMs: number | null, throttledMs: number | null, observerLateMs: number | null }}
   */
  between (fromMicros, toMicros = Infinity) {
    this.note(0)
    const last = this.#readings[this.#readings.length - 1]
    const end = this.#readings.find(({ micros }) => micros >= toMicros) ?? last
    const before = this.at(fromMicros) ?? this.#readings[0]
    const missedMicros = before.micros - fromMicros
    const maxMs = (Math.min(end.micros, toMicros) - fromMicros) / 1e3
    if (missedMicros > maxMs * 1e3 * MAX_MISSED_SHARE) return NO_EVIDENCE
    const lateMs = this.#readings.reduce((sum, { micros, lateMs }) => micros > fromMicros && micros - lateMs * 1e3 < toMicros ? sum + lateMs : sum, 0)
    const [after, first] = [end.system(), before.system()]
    const [cpuMs, runQueueMs] = [difference(after.cpuMs, first.cpuMs), difference(after.runQueueMs, first.runQueueMs)]
    // A thread either runs or waits for a CPU. What is more than the time itself happened before or after it: both get their share.
    const bothMs = (cpuMs ?? 0) + (runQueueMs ?? 0)
    const share = runQueueMs !== null && bothMs > maxMs ? maxMs / bothMs : 1
    return {
      cpuMs: atMost(maxMs, cpuMs, share),
      runQueueMs: atMost(maxMs, runQueueMs, share),
      throttledMs: atMost(maxMs, difference(after.throttledMs, first.throttledMs)),
      observerLateMs: atMost(maxMs, lateMs)
    }
  }

  /** Whether the observed thread has just waited for a CPU or was throttled by a quota, so that nothing should take CPU time from it. */
  isShort () {
    const { runQueueMs, throttledMs } = this.between(this.#monotonicMicros() - SHORTAGE_MS * 1e3)
    return (runQueueMs ?? 0) + (throttledMs ?? 0) >= SHORTAGE_MS * MAX_WAITING_SHARE
  }

  /** The last reading up to a moment. @param {number} micros */
  at (micros) {
    return this.#readings.findLast(reading => reading.micros <= micros)
  }
}

/** @param {number | null} now @param {number | null} before */
function difference (now, before) {
  return now === null || before === null ? null : Math.max(0, now - before)
}

/** @param {number} max @param {number | null} value @param {number} [share]  of it that counts */
function atMost (max, value, share = 1) {
  return value === null ? null : Math.round(Math.min(max, value * share) * 10) / 10
}

module.exports = { Evidence }
