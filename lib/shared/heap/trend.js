'use strict'

// Is the heap growing? Computed from what was left after each collection: a robust slope, whether it is significant, and when the limit is
// reached at this rate. Pure.

const MIN_POINTS = 8
const MIN_MINUTES = 5 // less is warm-up or one short burst
const MAX_POINTS = 120 // 20 minutes, one every 10 s; beyond that every second one is dropped. Each pair is compared: 7,000, a few milliseconds
const MIN_GROWTH_SHARE = 0.02 // of the heap, over the whole time: caches vary by as much
const MIN_GROWTH_BYTES = 1e6 // over the whole time: compiled code and this watcher itself grow by a few hundred kilobytes
// Mann-Kendall: how many standard deviations the order of the points is away from chance. 2.33 is 1 in 100, one-sided.
const MIN_Z = 2.33
const MIN_Z_OF_HALF = 1.28 // of the second half alone, 1 in 10: a one-time step or a warm-up is over by then

/**
 * @typedef {object} TrendPoint
 * @property {number} atMs
 * @property {number} bytes  used after a collection
 * @property {Record<string, number>} spaces  bytes by space of V8's heap
 *
 * @typedef {import('../../../types/diagnostics').HeapTrend} HeapTrend
 */

class Trend {
  /** @type {TrendPoint[]} */
  #points = []
  /** @type {HeapTrend | undefined} */
  #judged

  /** @param {TrendPoint} point */
  add (point) {
    if (this.#points.length >= MAX_POINTS) this.#points = this.#points.filter((_, index) => index % 2 === 0)
    this.#points.push(point)
    this.#judged = undefined
  }

  /**
   * @param {number} limitBytes  of the heap
   * @returns {HeapTrend}
   */
  read (limitBytes) {
    this.#judged ??= judge(this.#points, limitBytes)
    return this.#judged
  }
}

/**
 * @param {readonly TrendPoint[]} points
 * @param {number} limitBytes
 * @param {number} [minGrowthBytes]  over the whole time: less is not growth
 * @returns {HeapTrend}
 */
function judge (points, limitBytes, minGrowthBytes = MIN_GROWTH_BYTES) {
  const first = points[0]
  const last = points[points.length - 1]
  const minutes = points.length === 0 ? 0 : (last.atMs - first.atMs) / 60_000
  const bytesPerMinute = points.length < 2 ? 0 : slopeOf(points, ({ bytes }) => bytes)
  const verdict = verdictOf(points, minutes, bytesPerMinute, minGrowthBytes)
  return {
    verdict,
    points: points.length,
    minutes,
    usedBytes: last?.bytes ?? 0,
    limitBytes,
    bytesPerMinute,
    minutesToLimit: verdict === 'growing' ? Math.max(0, limitBytes - last.bytes) / bytesPerMinute : null,
    spaces: Object.keys(last?.spaces ?? {}).map(name => ({
      name,
      usedBytes: last.spaces[name],
      bytesPerMinute: points.length < 2 ? 0 : slopeOf(points, ({ spaces }) => spaces[name] ?? 0)
    })).sort((a, b) => b.bytesPerMinute - a.bytesPerMinute)
  }
}

/**
 * @param {readonly TrendPoint[]} points
 * @param {number} minutes
 * @param {number} bytesPerMinute
 * @param {number} minGrowthBytes
 * @returns {HeapTrend['verdict']}
 */
function verdictOf (points, minutes, bytesPerMinute, minGrowthBytes) {
  if (points.length < MIN_POINTS || minutes < MIN_MINUTES) return 'unknown'
  const isNotable = bytesPerMinute * minutes >= Math.max(points[0].bytes * MIN_GROWTH_SHARE, minGrowthBytes)
  const secondHalf = points.slice(Math.floor(points.length / 2))
  return isNotable && trendScore(points) >= MIN_Z && trendScore(secondHalf) >= MIN_Z_OF_HALF ? 'growing' : 'flat'
}

/**
 * Theil-Sen: the median of the slopes between all pairs; up to a third of the points may be outliers. P. K. Sen, 1968.
 * @param {readonly TrendPoint[]} points
 * @param {(point: TrendPoint) => number} read
 * @returns {number} per minute
 */
function slopeOf (points, read) {
  const slopes = []
  for (let i = 0; i < points.length; i++) {
    for (let j = i + 1; j < points.length; j++) {
      const minutes = (points[j].atMs - points[i].atMs) / 60_000
      if (minutes > 0) slopes.push((read(points[j]) - read(points[i])) / minutes)
    }
  }
  const sorted = Float64Array.from(slopes).sort()
  return sorted.length === 0 ? 0 : sorted[Math.floor(sorted.length / 2)]
}

/**
 * Mann-Kendall: rising pairs minus falling pairs, in standard deviations under the null hypothesis. M. G. Kendall, 1975.
 * @param {readonly TrendPoint[]} points
 */
function trendScore (points) {
  const count = points.length
  let score = 0
  for (let i = 0; i < count; i++) {
    for (let j = i + 1; j < count; j++) score += Math.sign(points[j].bytes - points[i].bytes)
  }
  const deviation = Math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
  return score === 0 ? 0 : (score - Math.sign(score)) / deviation
}

module.exports = { Trend, judge }
