'use strict'

// A case beside `off`: by the minimum and by the median of its rounds, with the noise of this run, and what may be claimed of it.

const { noiseOf } = require('./noise')
const { medianOf } = require('./statistics')

/** @import { Noise, Range } from './noise' */
/** @import { Budget } from './report' */

/**
 * @typedef {object} Comparison
 * @property {number} byMinimum  ratio to `off`
 * @property {number} byMedian
 * @property {Noise} noise       what `off` differs by from itself
 * @property {boolean} isSeen    one of the two ratios is outside of the noise
 */

/**
 * @param {readonly number[]} values  one a round
 * @param {readonly number[]} off
 * @param {readonly number[]} offAgain  the same code as off
 * @returns {Comparison}
 */
function compare (values, off, offAgain) {
  const same = [...off, ...offAgain]
  const noise = noiseOf(same, Math.floor(same.length / 2))
  const byMinimum = Math.min(...values) / Math.min(...same)
  const byMedian = medianOf(values) / medianOf(same)
  return { byMinimum, byMedian, noise, isSeen: isOutside(byMinimum, noise.ofMinimum) || isOutside(byMedian, noise.ofMedian) }
}

/**
 * @param {number} ratio
 * @param {Range} range
 */
function isOutside (ratio, { low, high }) {
  return ratio < low || ratio > high
}

/** @param {Comparison} comparison */
function showComparison ({ byMinimum, byMedian, isSeen }) {
  return `${byMinimum.toFixed(3)} / ${byMedian.toFixed(3)}${isSeen ? '' : ', no difference seen'}`
}

/** @param {Noise} noise */
function showNoise ({ ofMinimum, ofMedian }) {
  const show = (/** @type {Range} */ { low, high }) => `${low.toFixed(3)} to ${high.toFixed(3)}`
  return `by minimum ${show(ofMinimum)}, by median ${show(ofMedian)}`
}

/**
 * @param {string} budget
 * @param {number} limit
 * @param {Comparison} comparison
 * @returns {Budget}
 */
function atMost (budget, limit, comparison) {
  return { budget, measured: `${showComparison(comparison)} by minimum / by median`, isMet: isWithin(comparison, { byMinimum: limit, byMedian: limit }) }
}

/**
 * For a limit that another case of the same run sets.
 * @param {string} budget
 * @param {Comparison} comparison
 * @param {Comparison} rival
 * @returns {Budget}
 */
function atMostRival (budget, comparison, rival) {
  return { budget, measured: `${showComparison(comparison)} beside ${showComparison(rival)}`, isMet: isWithin(comparison, rival) }
}

/**
 * Met by the minimum and by the median; missed when both are above it by more than the noise; else this run cannot tell.
 * @param {Comparison} comparison
 * @param {{ byMinimum: number, byMedian: number }} limits
 * @returns {boolean | null}  null: it cannot tell
 */
function isWithin ({ byMinimum, byMedian, noise }, limits) {
  if (byMinimum <= limits.byMinimum && byMedian <= limits.byMedian) return true
  const isMissed = byMinimum > limits.byMinimum * noise.ofMinimum.high && byMedian > limits.byMedian * noise.ofMedian.high
  return isMissed ? false : null
}

module.exports = { compare, atMost, atMostRival, showComparison, showNoise }
