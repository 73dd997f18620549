'use strict'

// The share of its time that the loop was busy rather than waiting for events: over the last 30 to 60 s, and as totals that can be added up over
// processes. High utilization alone is not lateness: a loop that is always busy with short turns responds in time.

const { guarded } = require('../../base/guard')
const { clearInterval, performance, setInterval } = require('../../base/timers')
const { OTHER_RUNTIME } = require('../../base/system/runtime')

/** @import { EventLoopUtilization } from 'node:perf_hooks' */

const MS_PER_SECOND = 1e3
// Bun and Deno have the function, which always returns zeros.
const loopTimeHere = OTHER_RUNTIME === null ? performance.eventLoopUtilization : loopTimeByCpu

// Two marks 30 s apart: the window reaches back 30 to 60 s, whenever it is read.
const SLOT_MS = 30_000

class Utilization {
  #eventLoopUtilization
  /** @type {EventLoopUtilization} */
  #olderMark
  /** @type {EventLoopUtilization} */
  #newerMark
  /** @type {NodeJS.Timeout | undefined} */
  #slotTimer

  /** @param {{ eventLoopUtilization?: () => EventLoopUtilization }} [options] */
  constructor ({ eventLoopUtilization = performance.eventLoopUtilization } = {}) {
    this.#eventLoopUtilization = eventLoopUtilization
    this.#olderMark = this.#newerMark = eventLoopUtilization()
  }

  get running () { return this.#slotTimer !== undefined }

  start () {
    if (this.running) return
    this.#olderMark = this.#newerMark = this.#eventLoopUtilization()
    this.#slotTimer = setInterval(guarded(() => this.#turnSlots()), SLOT_MS).unref()
  }

  stop () {
    clearInterval(this.#slotTimer)
    this.#slotTimer = undefined
  }

  #turnSlots () {
    this.#olderMark = this.#newerMark
    this.#newerMark = this.#eventLoopUtilization()
  }

  /**
   * @returns {{ utilization: number, activeSeconds: number, idleSeconds: number }} utilization is 0 to 1, of the last 30 to 60 s or
   *   since start; the seconds count from the first turn of this thread's loop
   */
  read () {
    const total = this.#eventLoopUtilization()
    const activeMs = total.active - this.#olderMark.active
    const idleMs = total.idle - this.#olderMark.idle
    const windowMs = activeMs + idleMs
    return {
      utilization: windowMs > 0 ? activeMs / windowMs : 0,
      activeSeconds: total.active / MS_PER_SECOND,
      idleSeconds: total.idle / MS_PER_SECOND
    }
  }
}

/**
 * How long the loop was busy and how long it waited, cumulative, in the form of performance.eventLoopUtilization(). While the recorder runs its
 * samples are counted instead: libuv loses the elapsed wait when a signal ends it, and a sampling profiler sends a hundred signals a second, so that
 * Node's own figures show an idle loop as half busy (Node 20 to 26). The observer reads the samples from the windows, up to two windows late.
 */
class LoopTime {
  #sampledTime
  #eventLoopUtilization
  /** Node's figures for the times without samples. */
  #activeMs = 0
  #idleMs = 0
  /** Node's figures up to which time is counted. */
  #mark = { active: 0, idle: 0 }
  #isSampled = false

  /**
   * @param {object} parts
   * @param {() => { busyMicros: number, idleMicros: number }} parts.sampledTime  time of all samples since start
   * @param {() => EventLoopUtilization} [parts.eventLoopUtilization]  Node's own
   */
  constructor ({ sampledTime, eventLoopUtilization = loopTimeHere }) {
    this.#sampledTime = sampledTime
    this.#eventLoopUtilization = eventLoopUtilization
  }

  /** @param {boolean} isSampled  whether the recorder runs from now on */
  setSampled (isSampled) {
    if (isSampled === this.#isSampled) return
    const { activeMs, idleMs } = this.#sinceMark()
    this.#mark = this.#eventLoopUtilization()
    if (isSampled) {
      this.#activeMs += activeMs
      this.#idleMs += idleMs
    }
    this.#isSampled = isSampled
  }

  /** @returns {EventLoopUtilization} milliseconds */
  read () {
    const { activeMs, idleMs } = this.#isSampled ? { activeMs: 0, idleMs: 0 } : this.#sinceMark()
    const { busyMicros, idleMicros } = this.#sampledTime()
    const active = this.#activeMs + activeMs + busyMicros / 1e3
    const idle = this.#idleMs + idleMs + idleMicros / 1e3
    return { active, idle, utilization: active + idle === 0 ? 0 : active / (active + idle) }
  }

  #sinceMark () {
    const { active, idle } = this.#eventLoopUtilization()
    return { activeMs: active - this.#mark.active, idleMs: idle - this.#mark.idle }
  }
}

/** The CPU time of this thread counts as busy. @returns {EventLoopUtilization} milliseconds */
function loopTimeByCpu () {
  const { user, system } = /** @type {NodeJS.CpuUsage} */ (process.threadCpuUsage?.() ?? process.cpuUsage())
  const active = (user + system) / 1e3
  const ms = performance.now()
  return { active, idle: Math.max(0, ms - active), utilization: Math.min(1, active / ms) }
}

module.exports = { LoopTime, Utilization }
