'use strict'

// Keeps the main thread's counters from moments of the last minute: counters run since the start, and the figure of a minute is the difference. An
// idle process is not asked, since nothing changes in it.

const { monotonicMs } = require('../../base/monotonic')

/** @import { StartInterval } from '../../base/timers' */
/** @import { ProcessReading } from '../../shared/findings/readings' */
/** @import { CountedCalls } from '../counts' */

/** @typedef {Pick<ProcessReading, 'routes' | 'delayCounts'>} Counted */
/** @typedef {{ calls: CountedCalls[], connections: Record<string, number> | null }} Outgoing  calls since start; open connections by port, null: not known */
/** @typedef {{ atMs: number, process: Counted, outgoing: Outgoing }} PastReading */

const EVERY_MS = 10_000
const MAX_READINGS = 7

class PastReadings {
  #parts
  #now
  #wasIdle = false
  /** Oldest first. @type {PastReading[]} */
  #readings = []
  /** @type {(() => void) | undefined} */
  #end

  /**
   * @param {object} parts
   * @param {StartInterval} parts.interval
   * @param {() => boolean} parts.isIdle
   * @param {() => Promise<{ value: ProcessReading, isStale: boolean } | null>} parts.ask
   * @param {() => Outgoing} [parts.outgoing]
   * @param {() => number} [parts.now]
   */
  constructor (parts) {
    this.#parts = parts
    this.#now = parts.now ?? monotonicMs
  }

  get running () { return this.#end !== undefined }

  start () {
    this.#end ??= this.#parts.interval(EVERY_MS, () => this.#take())
  }

  stop () {
    this.#end?.()
    this.#end = undefined
  }

  /**
   * @param {number} fromMs  monotonic
   * @returns {PastReading | null} the first one since then; else the last one, since the process was idle after it; null: no answer yet
   */
  firstSince (fromMs) {
    return this.#readings.find(({ atMs }) => atMs >= fromMs) ?? this.#readings.at(-1) ?? null
  }

  /**
   * @param {number} fromMs  monotonic
   * @returns {Record<string, number>[]} open connections at the moments since then
   */
  connectionsSince (fromMs) {
    return this.#readings.flatMap(({ atMs, outgoing: { connections } }) => atMs < fromMs || connections === null ? [] : [connections])
  }

  async #take () {
    const isIdle = this.#parts.isIdle()
    // One more reading when it becomes idle: it holds what was counted before that.
    if (isIdle && this.#wasIdle) return
    const answer = await this.#parts.ask()
    if (answer === null || answer.isStale) return
    this.#wasIdle = isIdle
    const { routes, delayCounts } = answer.value
    const outgoing = this.#parts.outgoing?.() ?? { calls: [], connections: null }
    this.#readings = [...this.#readings, { atMs: this.#now(), process: { routes, delayCounts }, outgoing }].slice(-MAX_READINGS)
  }
}

module.exports = { PastReadings }
