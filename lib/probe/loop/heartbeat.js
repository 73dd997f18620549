'use strict'

// The timer tick on the main thread that proves that the loop turns. It measures how late each tick was and reports it to the observer through
// shared memory; it does not search for the cause.
//
// While the process is idle the heartbeat is slower: a timer that wakes an idle process costs more than all the rest of loopscope. Work that
// announces itself (a request) makes it fast again at once, other work with the next tick.

const { guarded } = require('../../base/guard')
const { monotonicMicros } = require('../../base/monotonic')
const { clearInterval, clearTimeout, outsideRequest, setInterval, setTimeout } = require('../../base/timers')
const { OwnWorkIntervals, msOf } = require('./own-work')

/** @import { Interval } from './own-work' */
/** @import { SharedState } from '../../link/shared-state' */

const IDLE_FACTOR = 5 // 100 ms by default: a stall that nothing announces is still detected while it lasts
const CHECK_MS = 1000
// Of one CPU, all threads: loopscope itself uses up to 3 %. (Not the loop's utilization: libuv loses the elapsed wait when a signal ends it,
// so with a profiler's 100 signals a second an idle loop reads as half busy; Node 20 to 26.)
const IDLE_SHARE = 0.1
// A turn of the loop that delayed an idle tick by this part of the threshold shows that the work before the tick was one long turn, and not many
// short ones. A tick is late by no more than this after a block of the threshold plus a fast period that began right after the previous tick: so
// the slow heartbeat finds everything that the fast one does.
const PROOF_SHARE = 1 / IDLE_FACTOR

/**
 * @typedef {object} LateTick
 * @property {number} fromMicros  the previous tick
 * @property {number} toMicros    this tick
 * @property {number} delayMs     how late it was, minus the period and loopscope's own work
 * @property {Interval[]} ownWork  the part of the time between that was loopscope's, in order
 * @property {number} ownMs       its sum
 * @property {number | null} [threadCpuMs]  CPU time of the thread in between; null or missing where the observer reads it, or nobody can
 * @property {boolean} [isSuspected]  an idle tick that was late by less than a stall; the block may have begun before it was due
 */

class Heartbeat {
  #parts
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  /** @type {NodeJS.Timeout | undefined} */
  #first
  #lastMicros = 0
  #dueMicros = Infinity
  #own
  #isIdle = false
  /** When the CPU time was last read, and its value. */
  #checked = { micros: 0, cpuMs: 0 }
  #overheadMicros = 0

  /**
   * @param {object} parts
   * @param {number} parts.periodMs
   * @param {number} parts.stallThresholdMs
   * @param {SharedState} parts.state
   * @param {(delayMs: number, periods: number) => void} parts.onTick  called for every tick; periods: how many fast ticks it stands for
   * @param {(tick: LateTick) => void} parts.onStall   called for ticks at least stallThresholdMs late, and for suspected ones
   * @param {() => void} [parts.onFirst]               the loop turns for the first time: measurement of the application begins
   * @param {() => void} [parts.onSpeedUp]               the heartbeat is fast again because of speedUp()
   * @param {() => NodeJS.CpuUsage} [parts.cpuUsage]   of the process, or of the one observed thread
   * @param {() => number | null} [parts.takeThreadCpuMs]  CPU time of the thread since the last call
   */
  constructor (parts) {
    this.#parts = parts
    this.#own = new OwnWorkIntervals(parts.state)
  }

  get running () { return this.#timer !== undefined }
  get overheadSeconds () { return this.#overheadMicros / 1e6 }

  /** When it last ticked; 0 before the first tick. */
  get lastMicros () { return this.#lastMicros }

  /** When the next tick is due; never before the first one. Stored, since each request reads it. */
  get dueMicros () { return this.#dueMicros }

  get #periodMs () {
    const { periodMs, stallThresholdMs } = this.#parts
    return this.#isIdle ? Math.max(periodMs, Math.min(periodMs * IDLE_FACTOR, stallThresholdMs)) : periodMs
  }

  start () {
    if (this.running) return
    // Before the loop turns the application is being loaded, which may block: it is not measured.
    this.#setLast(0)
    this.#setIdle(false)
    this.#first = setTimeout(guarded(() => this.#begin()), 0).unref()
  }

  stop () {
    clearTimeout(this.#first)
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#parts.state.tickMicros = 0
  }

  /**
   * Runs loopscope's own work, which is not a delay of the application; what the application does before and after it is.
   * @template T
   * @param {() => T} work
   * @returns {T}
   */
  exempt (work) {
    this.beginOwnWork()
    try {
      return work()
    } finally {
      this.endOwnWork()
    }
  }

  /** The same in two calls, for work that another thread runs on the main thread in between. */
  beginOwnWork () {
    this.#own.begin()
  }

  /** @returns {number} its duration in milliseconds */
  endOwnWork () {
    return this.#own.end()
  }

  /** Drops work that was begun and will never be ended: it was not loopscope's. */
  dropOwnWork () {
    this.#own.drop()
  }

  /** Leaves out the time since the last tick: loopscope's own work, which is accounted for elsewhere. */
  skipElapsed () {
    if (this.#lastMicros !== 0) this.#setLast(monotonicMicros())
    this.#parts.takeThreadCpuMs?.()
    this.#own.forget()
  }

  /** Call it when work begins. It costs nothing while the heartbeat is fast. */
  speedUp () {
    if (!this.#isIdle) return
    outsideRequest(() => {
      this.#tick()
      this.#setIdle(false)
    })
    this.#parts.onSpeedUp?.()
  }

  #begin () {
    this.#setIdle(false) // the next tick is due one period from now
    this.#takeCpuMs(monotonicMicros())
    this.#setLast(0) // on a busy machine a tick may have come before: Node.js promises no order to timers of different lengths
    this.#tick()
    this.#parts.onFirst?.()
    this.skipElapsed() // the work done here is loopscope's
  }

  /** @param {boolean} isIdle */
  #setIdle (isIdle) {
    this.#isIdle = isIdle
    clearInterval(this.#timer)
    this.#timer = setInterval(guarded(() => this.#tick()), this.#periodMs)
    this.#timer.unref()
    this.#parts.state.isIdle = isIdle
    this.#parts.state.periodMs = this.#periodMs
    this.#setLast(this.#lastMicros)
  }

  /** @param {number} micros  0: none yet */
  #setLast (micros) {
    this.#lastMicros = micros
    this.#dueMicros = micros === 0 ? Infinity : micros + this.#periodMs * 1e3
  }

  #tick () {
    const fromMicros = this.#lastMicros
    const toMicros = monotonicMicros()
    const ownWork = this.#own.take(toMicros)
    this.#setLast(toMicros)
    this.#parts.state.tickMicros = toMicros
    const threadCpuMs = this.#parts.takeThreadCpuMs?.() ?? null
    if (fromMicros === 0) return
    const ownMs = msOf(ownWork)
    const passedMs = Math.max(0, (toMicros - fromMicros) / 1e3 - ownMs)
    const cpuMs = this.#isIdle ? Math.max(0, this.#takeCpuMs(toMicros) - ownMs) : 0
    const periods = Math.round(Math.min(passedMs, this.#periodMs) / this.#parts.periodMs)
    const delayMs = this.#delayOf(passedMs, cpuMs)
    this.#parts.onTick(delayMs, periods)
    if (delayMs >= this.#parts.stallThresholdMs * PROOF_SHARE) this.#reportLate({ fromMicros, toMicros, delayMs, ownWork, ownMs, threadCpuMs })
    this.#adaptPeriod(toMicros, passedMs, cpuMs)
    this.#overheadMicros += monotonicMicros() - toMicros
  }

  /** CPU time since the last call. @param {number} micros  now */
  #takeCpuMs (micros) {
    const { cpuUsage = process.cpuUsage } = this.#parts
    const { user, system } = cpuUsage()
    const before = this.#checked.cpuMs
    this.#checked = { micros, cpuMs: (user + system) / 1e3 }
    return this.#checked.cpuMs - before
  }

  /**
   * @param {number} passedMs  since the last tick
   * @param {number} cpuMs     CPU time within it; not measured while the heartbeat is fast
   */
  #delayOf (passedMs, cpuMs) {
    const { stallThresholdMs } = this.#parts
    // Timers have whole milliseconds and may fire a fraction early.
    const lateMs = Math.max(0, passedMs - this.#periodMs)
    const isProven = this.#isIdle && lateMs >= stallThresholdMs * PROOF_SHARE && cpuMs >= stallThresholdMs
    return isProven ? Math.min(passedMs, Math.max(lateMs, cpuMs)) : lateMs
  }

  /** @param {LateTick} tick */
  #reportLate (tick) {
    const { stallThresholdMs, onStall } = this.#parts
    if (tick.delayMs >= stallThresholdMs) onStall(tick)
    // Waiting used no CPU time that would prove it; the samples may.
    else if (this.#isIdle) onStall({ ...tick, isSuspected: true })
  }

  /**
   * Decides whether the heartbeat becomes slower or faster.
   * @param {number} micros
   * @param {number} passedMs
   * @param {number} cpuMs
   */
  #adaptPeriod (micros, passedMs, cpuMs) {
    if (this.#isIdle) {
      if (cpuMs > passedMs * IDLE_SHARE) this.#setIdle(false)
      return
    }
    const sinceMs = (micros - this.#checked.micros) / 1e3
    if (sinceMs >= CHECK_MS && this.#takeCpuMs(micros) <= sinceMs * IDLE_SHARE) this.#setIdle(true)
  }
}

module.exports = { Heartbeat }
