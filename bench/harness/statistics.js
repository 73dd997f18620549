'use strict'

// Medians with their spread, as numbers and as text. Pairs are divided within their round, before the median is taken: what
// disturbs a whole round then disturbs no ratio.

/** @typedef {{ median: number, min: number, max: number, low: number, high: number }} Summary  what was measured has its median between low and high: medianRange() */

const Z_95 = 1.96 // 95 of 100 lie within so many standard deviations

/**
 * @param {readonly number[]} values
 * @returns {Summary}
 */
function summarize (values) {
  const sorted = values.toSorted((a, b) => a - b)
  return { median: medianOf(sorted), min: sorted[0], max: sorted[sorted.length - 1], ...medianRange(sorted) }
}

/** @param {readonly number[]} values */
function medianOf (values) {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2
}

/**
 * Between which of the values the median of what they are taken from lies in 95 of 100 runs, whatever else it looks like: each value is above that
 * median or below it as a coin falls (the sign test's interval; its ranks by the normal approximation). Of five values and fewer, all.
 * @param {readonly number[]} sorted
 */
function medianRange (sorted) {
  const rank = Math.round(sorted.length / 2 - Z_95 / 2 * Math.sqrt(sorted.length))
  const at = Math.max(0, rank - 1)
  return { low: sorted[at], high: sorted[sorted.length - 1 - at] }
}

/**
 * @param {readonly number[]} values
 * @param {readonly number[]} bases  of the same rounds
 */
function ratios (values, bases) {
  return summarize(values.map((value, round) => value / bases[round]))
}

/**
 * @param {readonly number[]} values
 * @param {readonly number[]} bases  of the same rounds
 */
function differences (values, bases) {
  return summarize(values.map((value, round) => value - bases[round]))
}

/**
 * What else uses a processor and its caches only ever adds to a time. The smallest of all would be luck.
 * @param {readonly number[]} values
 * @returns {number} the 5th percentile
 */
function fast (values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 20)]
}

/**
 * @param {Pick<Summary, 'median' | 'low'>} summary
 * @param {number} limit
 * @returns {boolean | null} whether the median is at most that; null: it is more, and by no more than it may be by chance
 */
function isAtMost ({ median, low }, limit) {
  return median <= limit || (low > limit ? false : null)
}

/**
 * @param {Summary} summary
 * @param {number} limit
 * @returns {boolean | null} whether the median is at least that; null: it is less, and by no more than it may be by chance
 */
function isAtLeast ({ median, high }, limit) {
  return median >= limit || (high < limit ? false : null)
}

/**
 * @param {Summary} summary
 * @param {number} digits
 * @returns {string} `median (min to max)`
 */
function show ({ median, min, max }, digits) {
  return `${median.toFixed(digits)} (${min.toFixed(digits)} to ${max.toFixed(digits)})`
}

module.exports = { fast, medianOf, summarize, ratios, differences, isAtMost, isAtLeast, show }
