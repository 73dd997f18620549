'use strict'

// The timer tick on the main thread that proves that the loop turns. It measures how late each tick was and tells the
// observer through shared memory; it does not decide why.
//
// While the process has nothing to do the heart beats slower: a timer that wakes an idle process costs more than all the
// rest of us. Work that announces itself (a request) makes it fast again at once, other work with the next tick.

const { performance } = require('node:perf_hooks')
const { monotonicMicros } = require('../internal/monotonic')

/** @import { SharedState } from '../internal/shared-state' */

const DEFAULTS = Object.freeze({
  // A block that begins right after a tick is measured one period too short. bench/heartbeat.js: at 20 ms all blocks of
  // 120 ms are found, at 50 ms about a third of them.
  periodMs: 20,
  // Google's RAIL model: beyond 100 ms people notice; also what toobusy-js and blocked-at users usually settle on.
  stallThresholdMs: 100
})

const CALM_FACTOR = 5 // 100 ms by default: a stall that announces itself by nothing is still seen while it lasts
const CALM_AFTER_MS = 1000
const CALM_SHARE = 0.05 // of the time at work; the heartbeat alone takes 0.5 %
// A turn of the loop that held up a calm tick for this part of the threshold shows that the work before the tick was one
// long turn, and not many short ones.
const PROOF_SHARE = 1 / 4

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
 * @param {(delayMs: number, periods: number) => void} parts.onTick  called for every tick; periods: how many fast ones it stands for
 * @param {(tick: LateTick) => void} parts.onStall   called for ticks at least stallThresholdMs late
 * @param {() => void} [parts.onHurry]               the heart beats fast again because of hurry()
 */
function createHeartbeat (parts) {
  return new Heartbeat(parts)
}

class Heartbeat {
  #parts
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #lastMicros = 0
  #idleMs = 0 // of the loop, up to the last tick
  #calmMs = 0
  #isCalm = false
  #overheadMicros = 0

  /** @param {Parameters<typeof createHeartbeat>[0]} parts */
  constructor (parts) {
    this.#parts = parts
  }

  get running () { return this.#timer !== undefined }
  get overheadSeconds () { return this.#overheadMicros / 1e6 }

  get #periodMs () {
    const { periodMs, stallThresholdMs } = this.#parts
    return this.#isCalm ? Math.max(periodMs, Math.min(periodMs * CALM_FACTOR, stallThresholdMs)) : periodMs
  }

  start () {
    if (this.running) return
    // What runs before the first tick is the application starting up, which may block: it is not measured.
    this.#lastMicros = 0
    this.#setCalm(false)
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

  /** To be called when work begins. It costs nothing while the heart beats fast. */
  hurry () {
    if (!this.#isCalm) return
    this.#tick()
    this.#setCalm(false)
    this.#parts.onHurry?.()
  }

  /** @param {boolean} isCalm */
  #setCalm (isCalm) {
    this.#isCalm = isCalm
    this.#calmMs = 0
    clearInterval(this.#timer)
    this.#timer = setInterval(() => this.#tick(), this.#periodMs)
    this.#timer.unref()
    this.#parts.state.isCalm = isCalm
    this.#parts.state.periodMs = this.#periodMs
  }

  #tick () {
    const fromMicros = this.#lastMicros
    const toMicros = monotonicMicros()
    this.#lastMicros = toMicros
    this.#parts.state.tickMicros = toMicros
    const { idle } = performance.eventLoopUtilization()
    const passedMs = (toMicros - fromMicros) / 1e3
    const busyMs = passedMs - (idle - this.#idleMs)
    this.#idleMs = idle
    if (fromMicros === 0) return
    const periods = Math.round(Math.min(passedMs, this.#periodMs) / this.#parts.periodMs)
    this.#measure({ fromMicros, toMicros, delayMs: this.#delayOf(passedMs, busyMs) }, periods)
    this.#feel(passedMs, busyMs)
    this.#overheadMicros += monotonicMicros() - toMicros
  }

  /**
   * @param {number} passedMs  since the last tick
   * @param {number} busyMs    of it, the loop was not waiting for events
   */
  #delayOf (passedMs, busyMs) {
    const { stallThresholdMs } = this.#parts
    // Timers are kept in whole milliseconds and may fire a fraction early.
    const lateMs = Math.max(0, passedMs - this.#periodMs)
    const isProven = this.#isCalm && lateMs >= stallThresholdMs * PROOF_SHARE && busyMs >= stallThresholdMs
    return isProven ? Math.max(lateMs, busyMs) : lateMs
  }

  /**
   * @param {LateTick} tick
   * @param {number} periods
   */
  #measure (tick, periods) {
    const { stallThresholdMs, onTick, onStall } = this.#parts
    onTick(tick.delayMs, periods)
    if (tick.delayMs >= stallThresholdMs) onStall(tick)
  }

  /**
   * Whether to beat slower or faster from here on.
   * @param {number} passedMs
   * @param {number} busyMs
   */
  #feel (passedMs, busyMs) {
    if (busyMs > passedMs * CALM_SHARE) {
      this.#calmMs = 0
      if (this.#isCalm) this.#setCalm(false)
      return
    }
    this.#calmMs += passedMs
    if (!this.#isCalm && this.#calmMs >= CALM_AFTER_MS) this.#setCalm(true)
  }
}

module.exports = { createHeartbeat, DEFAULTS }
