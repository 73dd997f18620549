'use strict'

// The rows of `pm2 describe`: the loop in the last minute, and the worst finding. It has no timers and no clock of its own.

const { unattended } = require('../../base/guard')
const { quantileOf } = require('../../base/bucket-counts')

/** @import { Stall } from '../../../types/diagnostics' */
/** @import { Findings } from '../../../types/findings' */
/** @import { BucketReading } from '../../base/bucket-counts' */
/** @import { Figure } from './protocol' */

const WINDOW_MS = 60_000

// Between two readings of the finding.
const BETWEEN_MS = 60_000
const OVER_MS = 600_000
const MAX_LENGTH = 160 // PM2's table is as wide as the longest row

const NOTHING_YET = 'nothing stalled yet'

/**
 * @typedef {object} LoopReading
 * @property {BucketReading} delay  since the start, in seconds
 * @property {number} recentMaxMs
 * @property {number} utilization  0 to 1, of the last 30 to 60 s
 * @property {readonly Stall[]} stalls  newest first
 */

/** Figures of the last minute, from counts since the start: it keeps one minute of readings and takes the difference. */
class RecentFigures {
  #beganMs
  /** Oldest first. @type {{ atMs: number, delay: BucketReading }[]} */
  #readings = []

  /** @param {number} beganMs  milliseconds since the epoch, when the readings began */
  constructor (beganMs) {
    this.#beganMs = beganMs
  }

  /**
   * @param {LoopReading} reading
   * @param {number} nowMs  milliseconds since the epoch, like the stalls' times
   * @returns {Figure[]}
   */
  take ({ delay, recentMaxMs, utilization, stalls }, nowMs) {
    const p99Ms = Math.min(quantileOf(this.#since(delay, nowMs), 0.99) * 1e3, recentMaxMs)
    this.#beganMs = Math.min(this.#beganMs, nowMs) // in case the clock was set back
    const recent = stalls.filter(({ at, durationMs }) => at + durationMs > nowMs - WINDOW_MS && at <= nowMs)
    const observedMs = Math.min(WINDOW_MS, nowMs - this.#beganMs)
    const blockedMs = recent.reduce((sum, { at, durationMs }) => sum + durationMs - Math.max(0, nowMs - observedMs - at), 0)
    return [
      { name: 'Loop delay p99', value: rounded(p99Ms), unit: 'ms' },
      { name: 'Loop utilisation', value: rounded(utilization * 100), unit: '%' },
      { name: 'Stalls', value: recent.length, unit: '/min' },
      { name: 'Blocked', value: observedMs > 0 ? rounded(Math.min(100, Math.max(0, blockedMs) / observedMs * 100)) : 0, unit: '%' }
    ]
  }

  /** @param {BucketReading} delay @param {number} nowMs */
  #since (delay, nowMs) {
    this.#readings.push({ atMs: nowMs, delay })
    while (this.#readings.length > 1 && Math.abs(nowMs - this.#readings[1].atMs) >= WINDOW_MS) this.#readings.shift()
    const [{ delay: before }] = this.#readings
    // The very first reading has no earlier one.
    if (before === delay) return delay
    return { bounds: delay.bounds, counts: delay.counts.map((count, index) => count - before.counts[index]), count: delay.count - before.count }
  }
}

/** @param {number} value */
function rounded (value) {
  return Number(value.toFixed(1))
}

/**
 * The title of the worst finding. Reading findings costs the observer a second, so it is done only after a stall, and then at most once a minute; and
 * once more, later, if there was no further stall, so that an old finding is not shown forever.
 */
class FirstFinding {
  #findings
  #title = NOTHING_YET
  /** @type {number | undefined} */
  #readMs
  #readStall = 0
  #isCalm = true

  /** @param {() => Promise<Findings>} findings */
  constructor (findings) {
    this.#findings = findings
  }

  /**
   * Returns the cached title; a new reading is available on the next call.
   * @param {object} now
   * @param {number} now.lastStall  its number, 0 before the first
   * @param {number} now.atMs  monotonic
   * @returns {Figure}
   */
  take ({ lastStall, atMs }) {
    if (this.#isDue(lastStall, atMs)) {
      this.#isCalm = lastStall === this.#readStall
      this.#readStall = lastStall
      this.#readMs = atMs
      unattended(this.#read())
    }
    return { name: 'Finding', value: this.#title, unit: '' }
  }

  /** @param {number} lastStall @param {number} atMs */
  #isDue (lastStall, atMs) {
    const ageMs = this.#readMs === undefined ? Infinity : atMs - this.#readMs
    if (lastStall !== this.#readStall) return ageMs >= BETWEEN_MS
    return !this.#isCalm && ageMs >= OVER_MS
  }

  async #read () {
    try {
      const { findings: [first] } = await this.#findings()
      this.#title = first.title.length > MAX_LENGTH ? `${first.title.slice(0, MAX_LENGTH - 1)}…` : first.title
    } catch (error) {
      this.#title = `not known: ${/** @type {Error} */ (error).message}`.slice(0, MAX_LENGTH) // without an observer, which was warned of
    }
  }
}

module.exports = { FirstFinding, RecentFigures }
