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
const LOWEST_OF = 3 // readings, for what no collection frees
const STEADY = 0.4 // of the whole slope: in the second half it grows that fast at least, else it comes to an end

/** From which growth on it is reported: bytes, and as a share of what was there before. */
const LEAST = Object.freeze({
  heap: { bytes: 5e6, share: 0.05 },
  buffers: { bytes: 16e6, share: 0.1 },
  external: { bytes: 16e6, share: 0.1 },
  worker: { bytes: 32e6, share: 0.3 }, // read at any time, garbage included
  native: { bytes: 48e6, share: 0.25 } // the allocator keeps what was freed
})

/** @typedef {keyof typeof LEAST} GrowthOwner */

class OwnerGrowth {
  #owner
  #name
  /** @type {TrendPoint[]} */
  #points = []
  /** @type {number[]} */
  #pending = []

  /**
   * @param {GrowthOwner} owner
   * @param {string | null} [name]  of a worker
   */
  constructor (owner, name = null) {
    this.#owner = owner
    this.#name = name
  }

  /** Adds what was left after a full collection. @param {number} atMs @param {number} bytes */
  add (atMs, bytes) {
    const points = this.#points
    points.push({ atMs, bytes, spaces: {} })
    while (points.length > MIN_RECENT && atMs - points[0].atMs > RECENT_MS) points.shift()
    while (atMs - points[0].atMs > KEPT_MS) points.shift()
    if (points.length > MAX_POINTS) this.#points = points.filter((_, index) => index % 2 === 1)
  }

  /** Adds a reading at any time: of a few the lowest counts. @param {number} atMs @param {number} bytes */
  addReading (atMs, bytes) {
    this.#pending.push(bytes)
    if (this.#pending.length < LOWEST_OF) return
    this.add(atMs, Math.min(...this.#pending))
    this.#pending = []
  }

  /** @returns {Growing | null} null: it does not grow */
  read () {
    const points = this.#points
    const { verdict, minutes, usedBytes, bytesPerMinute } = judge(points, Infinity)
    if (verdict !== 'growing') return null
    const grownBytes = bytesPerMinute * minutes
    const { bytes, share } = LEAST[this.#owner]
    if (grownBytes < Math.max(bytes, points[0].bytes * share)) return null
    const second = judge(points.slice(Math.floor(points.length / 2)), Infinity)
    if (second.bytesPerMinute < bytesPerMinute * STEADY) return null
    return { owner: this.#owner, name: this.#name, bytes: usedBytes, bytesPerMinute: second.bytesPerMinute, grownBytes, minutes }
  }
}

module.exports = { OwnerGrowth }
