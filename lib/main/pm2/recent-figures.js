'use strict'

// The rows of `pm2 describe`: what the loop was like in the last minute, from what is counted since the start. It keeps the readings of a
// minute to take the difference; it keeps no timer, and reads no clock.

const { quantileOf } = require('../../shared/base/bucket-counts')

/** @import { Stall } from '../../../types/diagnostics' */
/** @import { BucketReading } from '../../shared/base/bucket-counts' */
/** @import { Figure } from './protocol' */

const WINDOW_MS = 60_000

/**
 * @typedef {object} LoopReading
 * @property {BucketReading} delay  since the start, in seconds
 * @property {number} recentMaxMs
 * @property {number} utilization  0 to 1, of the last 30 to 60 s
 * @property {readonly Stall[]} stalls  newest first
 */

/** @param {{ nowMs: number }} begin  milliseconds since the epoch, at which somebody began to look */
function createRecentFigures ({ nowMs }) {
  return new RecentFigures(nowMs)
}

class RecentFigures {
  #beganMs
  /** Oldest first. @type {{ atMs: number, delay: BucketReading }[]} */
  #readings = []

  /** @param {number} beganMs */
  constructor (beganMs) {
    this.#beganMs = beganMs
  }

  /**
   * @param {LoopReading} reading
   * @param {number} nowMs  milliseconds since the epoch, as the stalls have it
   * @returns {Figure[]}
   */
  take ({ delay, recentMaxMs, utilization, stalls }, nowMs) {
    const p99Ms = Math.min(quantileOf(this.#since(delay, nowMs), 0.99) * 1e3, recentMaxMs)
    this.#beganMs = Math.min(this.#beganMs, nowMs) // the clock was set back
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

  /**
   * @param {BucketReading} delay
   * @param {number} nowMs
   */
  #since (delay, nowMs) {
    this.#readings.push({ atMs: nowMs, delay })
    while (this.#readings.length > 1 && Math.abs(nowMs - this.#readings[1].atMs) >= WINDOW_MS) this.#readings.shift()
    const [{ delay: before }] = this.#readings
    // The first of all has nothing before it.
    if (before === delay) return delay
    return { bounds: delay.bounds, counts: delay.counts.map((count, index) => count - before.counts[index]), count: delay.count - before.count }
  }
}

/** @param {number} value */
function rounded (value) {
  return Number(value.toFixed(1))
}

module.exports = { createRecentFigures, WINDOW_MS }
