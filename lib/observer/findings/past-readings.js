'use strict'

// What the main thread had counted at moments of the last minute: counters run since the start, and what is said of a minute is the
// difference. An idle process is not asked: nothing changes in it.

const { monotonicMs } = require('../../shared/base/monotonic')

/** @import { Every } from '../../shared/base/every' */
/** @import { ProcessReading } from '../../shared/findings/readings' */

const EVERY_MS = 10_000
const MAX_READINGS = 7

/** @typedef {Pick<ProcessReading, 'routes' | 'delayCounts'>} Counted */
/** @typedef {{ atMs: number, process: Counted }} PastReading */

/**
 * @param {object} parts
 * @param {Every} parts.every
 * @param {() => boolean} parts.isIdle
 * @param {() => Promise<{ value: ProcessReading, isStale: boolean } | null>} parts.ask
 * @param {() => number} [parts.now]
 */
function createPastReadings (parts) {
  return new PastReadings(parts)
}

class PastReadings {
  #parts
  #now
  #wasIdle = false
  /** Oldest first. @type {PastReading[]} */
  #readings = []
  /** @type {(() => void) | undefined} */
  #end

  /** @param {Parameters<typeof createPastReadings>[0]} parts */
  constructor (parts) {
    this.#parts = parts
    this.#now = parts.now ?? monotonicMs
  }

  get running () { return this.#end !== undefined }

  start () {
    this.#end ??= this.#parts.every(EVERY_MS, () => this.#take())
  }

  stop () {
    this.#end?.()
    this.#end = undefined
  }

  /**
   * @param {number} fromMs  monotonic
   * @returns {PastReading | null} the first one since then; where there is none the last one, since which it was idle; null: it never answered
   */
  firstSince (fromMs) {
    return this.#readings.find(({ atMs }) => atMs >= fromMs) ?? this.#readings.at(-1) ?? null
  }

  async #take () {
    const isIdle = this.#parts.isIdle()
    // Once when it becomes idle: what was counted until then is of before.
    if (isIdle && this.#wasIdle) return
    const answer = await this.#parts.ask()
    if (answer === null || answer.isStale) return
    this.#wasIdle = isIdle
    const { routes, delayCounts } = answer.value
    this.#readings = [...this.#readings, { atMs: this.#now(), process: { routes, delayCounts } }].slice(-MAX_READINGS)
  }
}

module.exports = { createPastReadings }
