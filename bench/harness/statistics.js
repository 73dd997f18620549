'use strict'

// Medians with their spread, as numbers and as text. Pairs are divided within their round, before the median is taken: what
// disturbs a whole round then disturbs no ratio.

/** @typedef {{ median: number, min: number, max: number }} Summary */

/**
 * @param {readonly number[]} values
 * @returns {Summary}
 */
function summarize (values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  return { median, min: sorted[0], max: sorted[sorted.length - 1] }
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
 * @param {Summary} summary
 * @param {number} digits
 * @returns {string} `median (min to max)`
 */
function show ({ median, min, max }, digits) {
  return `${median.toFixed(digits)} (${min.toFixed(digits)} to ${max.toFixed(digits)})`
}

module.exports = { fast, summarize, ratios, differences, show }
