'use strict'

// Which owner's memory grows, and how fast: from what is left after full collections, and for what no collection frees from its lowest readings. What
// fills once and stays, a burst, compiled code and the warm-up of a process are not growth. Pure but for its own points.

const { judge } = require('../../shared/heap/trend')

/** @import { TrendPoint } from '../../shared/heap/trend' */
/** @import { Growing } from '../../../types/memory' */

const MAX_POINTS = 120
const RECENT_MS = 2 * 3600_000
const KEPT_MS = 24 * 3600_000
const MIN_RECENT = 30 // a process that collects rarely has few points in two hours: older ones count as well
const STEADY = 0.4 // of the whole slope: in the second half it grows that fast at least, else it comes to an end

// Too fast to wait for a trend. It may still be a warm-up, garbage, or a cache that fills: the age of what stays shows that.
const FAST = Object.freeze({
  maxMs: 5 * 60_000, // then there is a trend
  minMs: 40_000,
  minPoints: 3,
  minShare: 0.2, // of what was there before
  minTimes: 2, // the bytes from which on other growth is reported
  minRising: 0.9 // of all pairs of points: with three of them all
})

/** From which growth on it is reported: bytes, and as a share of what was there before. Of what is read at any time the lowest of a few readings counts. */
const OWNERS = Object.freeze({
  heap: { bytes: 5e6, share: 0.05, lowestOf: 1 },
  buffers: { bytes: 16e6, share: 0.1, lowestOf: 1 },
  external: { bytes: 16e6, share: 0.1, lowestOf: 1 },
  worker: { bytes: 32e6, share: 0.3, lowestOf: 3 }, // garbage included
  native: { bytes: 48e6, share: 0.25, lowestOf: 3 } // the allocator keeps what was freed
})

// What sampling by itself takes at most. A reading collects garbage first, which takes a second from so many bytes on.
const MAX_SAMPLED_SECONDS = 180
const MAX_SAMPLED_BYTES = 512e6
const FAST_HEAP_BYTES = OWNERS.heap.bytes * FAST.minTimes

/** @typedef {keyof typeof OWNERS} GrowthOwner */

class OwnerGrowth {
  #owner
  #name
  /** @type {TrendPoint[]} */
  #points = []

  /** @param {GrowthOwner} owner @param {string | null} [name]  of a worker */
  constructor (owner, name = null) {
    this.#owner = owner
    this.#name = name
  }

  /** Adds what was left after a full collection, or a reading at any time. @param {number} atMs @param {number} bytes */
  add (atMs, bytes) {
    const points = this.#points
    const { lowestOf } = OWNERS[this.#owner]
    points.push({ atMs, bytes, spaces: {} })
    while (points.length > MIN_RECENT * lowestOf && atMs - points[0].atMs > RECENT_MS) points.shift()
    while (atMs - points[0].atMs > KEPT_MS) points.shift()
    if (points.length > MAX_POINTS * lowestOf) this.#points = points.filter(({ atMs: pointMs }, index) => index % 2 === 1 || atMs - pointMs <= FAST.maxMs)
  }

  /** @returns {Growing | null} null: it does not grow */
  read () {
    const growth = steadyGrowth(this.#points, OWNERS[this.#owner])
    return growth && { owner: this.#owner, name: this.#name, ...growth }
  }

  /**
   * Whether it has grown fast until now, for some time that is too short for a trend.
   * @param {number} atMs  now
   * @returns {Growing | null}
   */
  readFast (atMs) {
    const latest = this.#points.filter(point => atMs - point.atMs <= FAST.maxMs)
    for (let from = 0; from + FAST.minPoints <= latest.length; from++) {
      const growing = this.#fastSince(latest.slice(from))
      if (growing !== null) return growing
    }
    return null
  }

  /** @param {TrendPoint[]} points @returns {Growing | null} */
  #fastSince (points) {
    const [first, last] = [points[0], points[points.length - 1]]
    const leastBytes = Math.max(OWNERS[this.#owner].bytes * FAST.minTimes, first.bytes * FAST.minShare)
    if (last.atMs - first.atMs < FAST.minMs || last.bytes - first.bytes < leastBytes / 2) return null // most often: it compares nothing
    const { minutes, usedBytes, bytesPerMinute } = judge(points, Infinity)
    const grownBytes = bytesPerMinute * minutes
    if (grownBytes < leastBytes || risingShare(points) < FAST.minRising) return null
    const second = judge(points.slice(Math.floor(points.length / 2)), Infinity)
    if (second.bytesPerMinute < bytesPerMinute * STEADY) return null
    return { owner: this.#owner, name: this.#name, bytes: usedBytes, bytesPerMinute, grownBytes, minutes }
  }
}

/**
 * @param {TrendPoint[]} all
 * @param {{ bytes: number, share: number, lowestOf: number }} least  growth that is reported
 * @returns {Pick<Growing, 'bytes' | 'bytesPerMinute' | 'grownBytes' | 'minutes'> | null} null: it does not grow, or comes to an end
 */
function steadyGrowth (all, { bytes, share, lowestOf }) {
  const points = lowest(all, lowestOf)
  const { verdict, minutes, usedBytes, bytesPerMinute } = judge(points, Infinity, bytes)
  if (verdict !== 'growing') return null
  const grownBytes = bytesPerMinute * minutes
  if (grownBytes < Math.max(bytes, points[0].bytes * share)) return null
  const second = judge(points.slice(Math.floor(points.length / 2)), Infinity)
  if (second.bytesPerMinute < bytesPerMinute * STEADY) return null
  return { bytes: usedBytes, bytesPerMinute: second.bytesPerMinute, grownBytes, minutes }
}

/**
 * @param {TrendPoint[]} points
 * @param {number} count
 * @returns {TrendPoint[]} the lowest of each so many, at the time of the last of them
 */
function lowest (points, count) {
  const found = []
  for (let end = count; end <= points.length; end += count) found.push({ ...points[end - 1], bytes: Math.min(...points.slice(end - count, end).map(({ bytes }) => bytes)) })
  return found
}

/** @param {TrendPoint[]} points */
function risingShare (points) {
  const pairs = points.flatMap((left, index) => points.slice(index + 1).map(right => right.bytes > left.bytes))
  return pairs.filter(isRising => isRising).length / pairs.length
}

module.exports = { FAST_HEAP_BYTES, MAX_SAMPLED_BYTES, MAX_SAMPLED_SECONDS, OwnerGrowth, steadyGrowth }
