'use strict'

// Counts by upper bound, cumulative and never reset, so that any number of readers get the same values. It is the histogram of Prometheus without the
// cost of prom-client's observe(): no labels, no objects, one array.

/**
 * @typedef {object} BucketReading
 * @property {readonly number[]} bounds   upper bounds, ascending, without +Inf
 * @property {number[]} counts            cumulative: counts[i] values were at most bounds[i]
 * @property {number} count               all values
 * @property {number} sum
 */

class BucketCounts {
  #bounds
  #counts
  #sum = 0

  /** @param {readonly number[]} bounds  ascending */
  constructor (bounds) {
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  /**
   * @param {number} value  in the unit of the bounds
   * @param {number} [times]
   */
  observe (value, times = 1) {
    const bounds = this.#bounds
    let index = 0
    while (index < bounds.length && value > bounds[index]) index++
    this.#counts[index] += times
    this.#sum += value * times
  }

  /** @returns {BucketReading} */
  read () {
    const counts = []
    let count = 0
    for (const inBucket of this.#counts) counts.push(count += inBucket)
    counts.pop()
    return { bounds: this.#bounds, counts, count, sum: this.#sum }
  }

  /**
   * @param {number} share  0 to 1
   * @returns {number}
   */
  quantile (share) {
    return quantileOf(this.read(), share)
  }
}

/**
 * The value below which the share lies, by linear interpolation inside a bucket, as Prometheus' histogram_quantile does.
 * @param {Pick<BucketReading, 'bounds' | 'counts' | 'count'>} reading
 * @param {number} share  0 to 1
 * @returns {number} 0 while there are no values; the highest bound for what lies above it
 */
function quantileOf ({ bounds, counts, count }, share) {
  if (count === 0) return 0
  const rank = share * count
  const index = counts.findIndex(upTo => upTo >= rank)
  if (index === -1) return bounds[bounds.length - 1]
  const below = index === 0 ? 0 : counts[index - 1]
  const lower = index === 0 ? 0 : bounds[index - 1]
  const inBucket = counts[index] - below
  return inBucket === 0 ? lower : lower + (bounds[index] - lower) * (rank - below) / inBucket
}

module.exports = { BucketCounts, quantileOf }
