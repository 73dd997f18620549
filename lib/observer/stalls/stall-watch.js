'use strict'

// Watches the heartbeat from the observer thread and reports a stall while the loop is still stuck. Instead of polling, it sleeps until a
// missing tick would mean something. The observer's periodic work runs at the same wake-ups.

const { guarded } = require('../../base/guard')
const { monotonicMicros, monotonicMs } = require('../../base/monotonic')
const { clearTimeout, setTimeout } = require('../../base/timers')

/** @import { SharedState } from '../../link/shared-state' */
/** @import { StartInterval } from '../../base/timers' */

// A stall is probed at half the threshold (so that a short one still gets its route) and at the threshold. While it lasts, it is reported
// from here on, each time after ten times as long.
const FIRST_REPORT_MS = 1000
const REPORT_FACTOR = 10
// While a stall lasts it is probed again: the place seen most often takes the time. Each stack probe costs the main thread some 0.1 ms, and
// comes half as late again as the one before.
const PROBE_FACTOR = 1.5
const MAX_PROBES = 10
// When idle, the next tick is due just when this thread would wake. It waits a little longer, or every other wake-up would find nothing.
const IDLE_GRACE_SHARE = 1 / 20
const MAX_SLEEP_MS = 1000 // periodic work relies on these wake-ups

/**
 * @typedef {object} Stuck
 * @property {number} tickMicros  the last tick before the stall
 * @property {number} delayMs     how late the next tick is so far
 */

class StallWatch {
  #parts
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #dueMicros = 0
  #tickMicros = 0
  #stage = 0
  #probes = 0
  #probeMs = Infinity
  /** @type {Set<{ atMs: number, ring: (stuck: Stuck) => void }>} */
  #alarms = new Set()
  /** How long this stall was when the alarms were last checked. */
  #rungMs = 0

  /**
   * @param {object} parts
   * @param {SharedState} parts.state
   * @param {number} parts.stallThresholdMs
   * @param {(lateMs: number) => void} parts.onWake    at each wake-up, with how late it was
   * @param {(stuck: Stuck) => void} parts.onSuspicion once a stall, at half the threshold
   * @param {(stuck: Stuck) => void} parts.onStall     once a stall, at the threshold
   * @param {(stuck: Stuck) => void} parts.onProbe      after that, less and less often
   * @param {(stuck: Stuck) => void} parts.onReport    at 1 s, 10 s, 100 s ...
   * @param {() => void} [parts.onTurned]              after each check, at least once a second
   */
  constructor (parts) {
    this.#parts = parts
  }

  get running () { return this.#timer !== undefined }

  start () {
    if (this.running) return
    this.#parts.onWake(0) // the baseline of the first stall
    this.#sleep(this.#parts.stallThresholdMs)
  }

  stop () {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /**
   * Calls back for each stall that reaches this duration, while it lasts.
   * @param {number} atMs
   * @param {(stuck: Stuck) => void} ring
   * @returns {() => void} removes the alarm
   */
  addAlarm (atMs, ring) {
    const alarm = { atMs, ring }
    this.#alarms.add(alarm)
    return () => this.#alarms.delete(alarm)
  }

  /** @param {Stuck} stuck */
  isStill ({ tickMicros }) {
    return this.#parts.state.tickMicros === tickMicros
  }

  /** The heartbeat has just become faster: the next tick is due before the current sleep ends. */
  speedUp () {
    if (!this.running) return
    clearTimeout(this.#timer)
    this.#wake(0)
  }

  #onTimer = guarded(() => {
    this.#wake(Math.max(0, (monotonicMicros() - this.#dueMicros) / 1e3))
    this.#parts.onTurned?.()
  })

  /** @param {number} lateMs  how late this wake-up is */
  #wake (lateMs) {
    const { stallThresholdMs, state, onWake } = this.#parts
    const now = monotonicMicros()
    onWake(lateMs)
    const { ownWorkMicros, tickMicros, periodMs } = state
    if (tickMicros !== this.#tickMicros) {
      this.#tickMicros = tickMicros
      this.#stage = 0
      this.#probes = 0
      this.#probeMs = stallThresholdMs * PROBE_FACTOR
      this.#rungMs = 0
    }
    if (tickMicros === 0) return this.#sleep(stallThresholdMs)
    // The whole process stood still: the main thread gets a chance to tick before it counts as stuck.
    if (lateMs >= stallThresholdMs / 2) return this.#sleep(periodMs)
    // While the main thread does loopscope's own work, the application is not late.
    const untilMicros = ownWorkMicros === 0 ? now : Math.min(now, ownWorkMicros)
    const delayMs = (untilMicros - tickMicros) / 1e3 - periodMs
    // While the process is idle, the first check may come as late as the second.
    const soonestMs = stallThresholdMs * (state.isIdle ? 1 : 1 / 2)
    if (delayMs <= 0) return this.#sleep(Math.min(soonestMs - delayMs, soonestMs + periodMs) + (state.isIdle ? periodMs * IDLE_GRACE_SHARE : 0))
    while (delayMs >= this.#stageMs()) this.#reach({ tickMicros, delayMs })
    if (delayMs >= this.#probeMs) this.#probe({ tickMicros, delayMs })
    this.#ring({ tickMicros, delayMs })
    // The loop may continue at any moment and get stuck again: the sleep must not miss that either.
    const nextMs = Math.max(Math.min(this.#stageMs(), this.#probeMs, ...this.#alarmsMs()), soonestMs)
    this.#sleep(Math.min(nextMs - delayMs, periodMs + soonestMs))
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

  /** @param {Stuck} stuck */
  #probe (stuck) {
    this.#probeMs = ++this.#probes === MAX_PROBES ? Infinity : stuck.delayMs * PROBE_FACTOR
    this.#parts.onProbe(stuck)
  }

  /** @param {Stuck} stuck */
  #ring (stuck) {
    const beforeMs = this.#rungMs
    this.#rungMs = Math.max(beforeMs, stuck.delayMs)
    for (const { atMs, ring } of this.#alarms) if (atMs > beforeMs && atMs <= stuck.delayMs) ring(stuck)
  }

  /** The alarms that this stall has not reached. */
  #alarmsMs () {
    return [...this.#alarms].map(({ atMs }) => atMs).filter(atMs => atMs > this.#rungMs)
  }

  /** @param {number} ms */
  #sleep (ms) {
    const wholeMs = Math.min(Math.max(1, Math.ceil(ms)), MAX_SLEEP_MS)
    this.#dueMicros = monotonicMicros() + wholeMs * 1e3
    this.#timer = setTimeout(this.#onTimer, wholeMs)
  }
}

/**
 * Runs the observer's periodic work at the wake-ups of the stall watch: a wake-up of an idle process costs more than the work itself, and
 * each timer of its own would add one.
 * @param {{ now?: () => number }} [parts]
 */
function createHousekeeping ({ now = monotonicMs } = {}) {
  /** @type {Set<{ ms: number, dueMs: number, work: () => void }>} */
  const tasks = new Set()
  let soonestMs = Infinity

  return {
    /** Runs at this interval on average, give or take the time between two wake-ups. @type {StartInterval} */
    interval (ms, work) {
      const task = { ms, dueMs: now() + ms, work: guarded(work) }
      tasks.add(task)
      soonestMs = Math.min(soonestMs, task.dueMs)
      return () => { tasks.delete(task) }
    },

    /** Called at each wake-up. */
    turn () {
      const nowMs = now()
      if (nowMs < soonestMs) return
      for (const task of tasks) {
        if (nowMs < task.dueMs) continue
        // Runs that a suspended process missed are not made up for.
        task.dueMs = Math.max(task.dueMs + task.ms, nowMs + task.ms / 2)
        task.work()
      }
      soonestMs = Math.min(...[...tasks].map(({ dueMs }) => dueMs))
    }
  }
}

module.exports = { createHousekeeping, StallWatch }
