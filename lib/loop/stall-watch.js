'use strict'

// Watches the heartbeat from the observer thread and says, while the loop is still stuck, how long it has been.
// It sleeps until the next moment at which a missing tick would mean something, instead of polling.

const { monotonicMicros } = require('../internal/monotonic')

/** @import { SharedState } from '../internal/shared-state' */

// A stall is looked at when it is half as long as what counts (so that a short one still gets its route), when it counts,
// and reported while it lasts from here on, each time after ten times as long.
const FIRST_REPORT_MS = 1000
const REPORT_FACTOR = 10

/**
 * @typedef {object} Stuck
 * @property {number} tickMicros  the last tick before
 * @property {number} delayMs     how late the next one is so far
 */

/**
 * @param {object} parts
 * @param {SharedState} parts.state
 * @param {number} parts.periodMs
 * @param {number} parts.stallThresholdMs
 * @param {(lateMs: number) => void} parts.onWake    each time the watch wakes: how late it was itself
 * @param {(stuck: Stuck) => void} parts.onSuspicion once a stall, at half the threshold
 * @param {(stuck: Stuck) => void} parts.onStall     once a stall, at the threshold
 * @param {(stuck: Stuck) => void} parts.onReport    at 1 s, 10 s, 100 s ...
 */
function createStallWatch (parts) {
  return new StallWatch(parts)
}

class StallWatch {
  #parts
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #dueMicros = 0
  #tickMicros = 0
  #stage = 0

  /** @param {Parameters<typeof createStallWatch>[0]} parts */
  constructor (parts) {
    this.#parts = parts
  }

  get running () { return this.#timer !== undefined }

  start () {
    if (!this.running) this.#sleep(this.#parts.periodMs)
  }

  stop () {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** @param {Stuck} stuck */
  isStill ({ tickMicros }) {
    return this.#parts.state.tickMicros === tickMicros
  }

  #wake () {
    const { periodMs, stallThresholdMs, state, onWake } = this.#parts
    const now = monotonicMicros()
    const lateMs = Math.max(0, (now - this.#dueMicros) / 1e3)
    onWake(lateMs)
    const { tickMicros } = state
    if (tickMicros !== this.#tickMicros) {
      this.#tickMicros = tickMicros
      this.#stage = 0
    }
    if (tickMicros === 0) return this.#sleep(stallThresholdMs)
    // The whole process stood still: the main thread gets the chance to tick before it is called stuck.
    if (lateMs >= stallThresholdMs / 2) return this.#sleep(periodMs)
    const delayMs = (now - tickMicros) / 1e3 - periodMs
    while (delayMs >= this.#stageMs()) this.#reach({ tickMicros, delayMs })
    // The loop may go on any moment and get stuck anew: that must not be slept through either.
    this.#sleep(Math.min(this.#stageMs() - delayMs, periodMs + stallThresholdMs / 2))
  }

  #stageMs () {
    const { stallThresholdMs } = this.#parts
    if (this.#stage < 2) return stallThresholdMs * (this.#stage + 1) / 2
    return Math.max(FIRST_REPORT_MS, stallThresholdMs) * REPORT_FACTOR ** (this.#stage - 2)
  }

  /** @param {Stuck} stuck */
  #reach (stuck) {
    const { onSuspicion, onStall, onReport } = this.#parts
    const stage = this.#stage++
    if (stage === 0) onSuspicion(stuck)
    else if (stage === 1) onStall(stuck)
    else onReport(stuck)
  }

  /** @param {number} ms */
  #sleep (ms) {
    const wholeMs = Math.max(1, Math.ceil(ms))
    this.#dueMicros = monotonicMicros() + wholeMs * 1e3
    this.#timer = setTimeout(() => this.#wake(), wholeMs)
  }
}

module.exports = { createStallWatch }
