'use strict'

// The timer tick on the main thread that proves that the loop turns. It measures how late each tick was and tells the
// observer through shared memory; it does not decide why.
//
// While the process has nothing to do the heart beats slower: a timer that wakes an idle process costs more than all the
// rest of us. Work that announces itself (a request) makes it fast again at once, other work with the next tick.

const { guarded } = require('../../base/guard')
const { monotonicMicros } = require('../../base/monotonic')
const { clearInterval, clearTimeout, outsideRequest, setInterval, setTimeout } = require('../../base/timers')
const { OwnWorkIntervals, msOf } = require('./own-work')

/** @import { Interval } from './own-work' */
/** @import { SharedState } from '../../link/shared-state' */

const IDLE_FACTOR = 5 // 100 ms by default: a stall that announces itself by nothing is still seen while it lasts
const CHECK_MS = 1000
// Of a processor, all threads: we take up to 3 % ourselves. (Not the loop's utilization: libuv forgets what it has waited for
// when a signal ends the wait, so with a profiler's 100 signals a second an idle loop reads as half busy; Node 20 to 26.)
const IDLE_SHARE = 0.1
// A turn of the loop that held up an idle tick for this part of the threshold shows that the work before the tick was one
// long turn, and not many short ones. By no more is the tick late after a block of the threshold and a fast period that began
// right after the one before: what the fast heart always finds, the slow one finds as well.
const PROOF_SHARE = 1 / IDLE_FACTOR

/**
 * @typedef {object} LateTick
 * @property {number} fromMicros  the tick before
 * @property {number} toMicros    this tick
 * @property {number} delayMs     how late it was, the period and the own work subtracted
 * @property {Interval[]} ownWork  what of the time between was ours, in order
 * @property {number} ownMs       all of that
 * @property {boolean} [isSuspected]  an idle tick that was late by less than a stall, which may have begun before it was due
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
  /** When the processor time was last looked at, and what it was. */
  #checked = { micros: 0, cpuMs: 0 }
  #overheadMicros = 0

  /**
   * @param {object} parts
   * @param {number} parts.periodMs
   * @param {number} parts.stallThresholdMs
   * @param {SharedState} parts.state
   * @param {(delayMs: number, periods: number) => void} parts.onTick  called for every tick; periods: how many fast ones it stands for
   * @param {(tick: LateTick) => void} parts.onStall   called for ticks at least stallThresholdMs late, and for suspected ones
   * @param {() => void} [parts.onFirst]               the loop turns for the first time: what the application does is measured from here on
   * @param {() => void} [parts.onSpeedUp]               the heart beats fast again because of speedUp()
   * @param {() => NodeJS.CpuUsage} [parts.cpuUsage]   of the process, or of the one thread that is watched
   */
  constructor (parts) {
    this.#parts = parts
    this.#own = new OwnWorkIntervals(parts.state)
  }

  get running () { return this.#timer !== undefined }
  get overheadSeconds () { return this.#overheadMicros / 1e6 }

  /** When it last ticked; 0 before the first tick. */
  get lastMicros () { return this.#lastMicros }

  /** When the next tick is due; never before the first one. Kept, since each request asks for it. */
  get dueMicros () { return this.#dueMicros }

  get #periodMs () {
    const { periodMs, stallThresholdMs } = this.#parts
    return this.#isIdle ? Math.max(periodMs, Math.min(periodMs * IDLE_FACTOR, stallThresholdMs)) : periodMs
  }

  start () {
    if (this.running) return
    // What runs before the loop turns is the application being loaded, which may block: it is not measured.
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
   * Does work of our own, which is no delay of the application; what the application did before and does after it is one.
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

  /** The same in two calls, for work that somebody else has the main thread do in between. */
  beginOwnWork () {
    this.#own.begin()
  }

  /** @returns {number} milliseconds that it took */
  endOwnWork () {
    return this.#own.end()
  }

  /** Nobody will end what was begun: it was no work of ours. */
  dropOwnWork () {
    this.#own.drop()
  }

  /** Leaves the time since the last tick out: it went into work of our own that is accounted for elsewhere. */
  skipElapsed () {
    if (this.#lastMicros !== 0) this.#setLast(monotonicMicros())
    this.#own.forget()
  }

  /** To be called when work begins. It costs nothing while the heart beats fast. */
  speedUp () {
    if (!this.#isIdle) return
    outsideRequest(() => {
      this.#tick()
      this.#setIdle(false)
    })
    this.#parts.onSpeedUp?.()
  }

  #begin () {
    this.#setIdle(false) // the next tick is due a period from now
    this.#takeCpuMs(monotonicMicros())
    this.#setLast(0) // on a busy machine a tick may have come before: Node.js promises no order to timers of different lengths
    this.#tick()
    this.#parts.onFirst?.()
    this.skipElapsed() // what was done on that occasion is ours
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

  /** @param {number} micros  0: there is none */
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
    if (fromMicros === 0) return
    const ownMs = msOf(ownWork)
    const passedMs = Math.max(0, (toMicros - fromMicros) / 1e3 - ownMs)
    const cpuMs = this.#isIdle ? Math.max(0, this.#takeCpuMs(toMicros) - ownMs) : 0
    const periods = Math.round(Math.min(passedMs, this.#periodMs) / this.#parts.periodMs)
    const delayMs = this.#delayOf(passedMs, cpuMs)
    this.#parts.onTick(delayMs, periods)
    if (delayMs >= this.#parts.stallThresholdMs * PROOF_SHARE) this.#tellLate({ fromMicros, toMicros, delayMs, ownWork, ownMs })
    this.#adaptPeriod(toMicros, passedMs, cpuMs)
    this.#overheadMicros += monotonicMicros() - toMicros
  }

  /**
   * Processor time since this was last asked.
   * @param {number} micros  now
   */
  #takeCpuMs (micros) {
    const { cpuUsage = process.cpuUsage } = this.#parts
    const { user, system } = cpuUsage()
    const before = this.#checked.cpuMs
    this.#checked = { micros, cpuMs: (user + system) / 1e3 }
    return this.#checked.cpuMs - before
  }

  /**
   * @param {number} passedMs  since the last tick
   * @param {number} cpuMs     processor time of it; not known while the heart beats fast
   */
  #delayOf (passedMs, cpuMs) {
    const { stallThresholdMs } = this.#parts
    // Timers are kept in whole milliseconds and may fire a fraction early.
    const lateMs = Math.max(0, passedMs - this.#periodMs)
    const isProven = this.#isIdle && lateMs >= stallThresholdMs * PROOF_SHARE && cpuMs >= stallThresholdMs
    return isProven ? Math.min(passedMs, Math.max(lateMs, cpuMs)) : lateMs
  }

  /** @param {LateTick} tick */
  #tellLate (tick) {
    const { stallThresholdMs, onStall } = this.#parts
    if (tick.delayMs >= stallThresholdMs) onStall(tick)
    // What waited took no processor time that would prove it; the samples may.
    else if (this.#isIdle) onStall({ ...tick, isSuspected: true })
  }

  /**
   * Whether to beat slower or faster from here on.
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
