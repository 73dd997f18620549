'use strict'

// How much memory the process has held outside of V8's heap (Buffers, native objects) over the last quarter of an hour, a reading a second.

const { memoryUsage } = require('../../shared/system/resident-bytes')

/** @import { OutsideHeap } from '../../shared/findings/readings' */

const EVERY_MS = 1000
const KEPT_MS = 15 * 60_000
const MAX_POINTS = 256 // then every other one goes
// A reading just before a collection is no level: the lowest of these seconds is.
const LEVEL_MS = 3000

/** @param {{ read?: typeof memoryUsage }} [parts] */
function createOutsideHeap ({ read = memoryUsage } = {}) {
  /** @type {{ atMs: number, bytes: number }[]} */
  let points = []
  let dueMs = -Infinity

  /**
   * To be called often. It is a comparison, but once a second.
   * @param {number} nowMs
   */
  function note (nowMs) {
    if (nowMs >= dueMs) take(nowMs)
  }

  /** @param {number} nowMs */
  function take (nowMs) {
    dueMs = nowMs + EVERY_MS
    const usage = read()
    if (usage === null) return null
    if (points.length >= MAX_POINTS) points = points.filter((_, index) => index % 2 === 0)
    points = points.filter(({ atMs }) => nowMs - atMs <= KEPT_MS)
    points.push({ atMs: nowMs, bytes: usage.external })
    return usage
  }

  return {
    note,

    /**
     * @param {number} nowMs
     * @returns {OutsideHeap | null} null where the system does not say it
     */
    read (nowMs) {
      const usage = take(nowMs)
      if (usage === null) return null
      const lowest = points.reduce((low, point) => point.bytes <= low.bytes ? point : low)
      const level = Math.min(...points.filter(({ atMs }) => nowMs - atMs <= LEVEL_MS).map(({ bytes }) => bytes))
      return {
        rssBytes: usage.rss,
        externalBytes: usage.external,
        buffersBytes: usage.arrayBuffers,
        grownBytes: Math.max(0, level - lowest.bytes),
        grownForMs: nowMs - lowest.atMs
      }
    }
  }
}

module.exports = { createOutsideHeap }
