'use strict'

// The timer tick on the main thread that proves that the loop turns. It measures how late each tick was and tells the
// observer through shared memory; it does not decide why.

const { monotonicMicros } = require('../internal/monotonic')

/** @import { SharedState } from '../internal/shared-state' */

const DEFAULTS = Object.freeze({
  // A block of less than a period can fall between two ticks. bench/heartbeat.js: 20 ms costs 0.2 % of a core more than
  // 50 ms beside a running profiler, and halves the error of a stall's measured length.
  periodMs: 20,
  // Google's RAIL model: beyond 100 ms people notice; also what toobusy-js and blocked-at users usually settle on.
  stallThresholdMs: 100
})

/**
 * @typedef {object} LateTick
 * @property {number} fromMicros  the tick before
 * @property {number} toMicros    this tick
 * @property {number} delayMs     how late it was, the period subtracted
 */

/**
 * @param {object} parts
 * @param {number} parts.periodMs
 * @param {number} parts.stallThresholdMs
 * @param {SharedState} parts.state
 * @param {(delayMs: number) => void} parts.onTick   called for every tick
 * @param {(tick: LateTick) => void} parts.onStall   called for ticks at least stallThresholdMs late
 */
function createHeartbeat (parts) {
  return new Heartbeat(parts)
}

class Heartbeat {
  #parts
  #periodMicros
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #lastMicros = 0
  #overheadMicros = 0

  /** @param {Parameters<typeof createHeartbeat>[0]} parts */
  constructor (parts) {
    this.#parts = parts
    this.#periodMicros = parts.periodMs * 1e3
  }

  get running () { return this.#timer !== undefined }
  get overheadSeconds () { return this.#overheadMicros / 1e6 }

  start () {
    if (this.running) return
    // What runs before the first tick is the application starting up, which may block: it is not measured.
    this.#lastMicros = 0
    this.#timer = setInterval(() => this.#tick(), this.#parts.periodMs)
    this.#timer.unref()
  }

  stop () {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#parts.state.tickMicros = 0
  }

  /** Leaves the time since the last tick out: it went into work of our own that is accounted for elsewhere. */
  forgive () {
    if (this.#lastMicros !== 0) this.#lastMicros = monotonicMicros()
  }

  #tick () {
    const fromMicros = this.#lastMicros
    const toMicros = monotonicMicros()
    this.#lastMicros = toMicros
    this.#parts.state.tickMicros = toMicros
    if (fromMicros === 0) return
    // Timers are kept in whole milliseconds and may fire a fraction early.
    const delayMs = Math.max(0, (toMicros - fromMicros - this.#periodMicros) / 1e3)
    this.#parts.onTick(delayMs)
    if (delayMs >= this.#parts.stallThresholdMs) this.#parts.onStall({ fromMicros, toMicros, delayMs })
    this.#overheadMicros += monotonicMicros() - toMicros
  }
}

module.exports = { createHeartbeat, DEFAULTS }
