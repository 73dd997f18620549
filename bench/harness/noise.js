'use strict'

// What two cases of the same code differ by, in this very run: the rounds of `off` and of `off` once more, dealt out anew many times.
// A difference is claimed only where it is larger than nearly all of those.

const { medianOf } = require('./statistics')

const DEALS = 4000
const OUTSIDE = 0.025 // on each side: 95 of 100 pairs of the same code lie between
const SEED = 1

/** @typedef {{ low: number, high: number }} Range */
/** @typedef {{ ofMinimum: Range, ofMedian: Range }} Noise  ratios between the same and the same */

/**
 * @param {readonly number[]} values  of rounds of the same code
 * @param {number} rounds             of a case
 * @returns {Noise}
 */
function noiseOf (values, rounds) {
  const random = randomNumbers(SEED)
  const dealt = [...values]
  /** @type {{ minimum: number, median: number }[]} */
  const ratios = []
  for (let deal = 0; deal < DEALS; deal++) {
    shuffle(dealt, random)
    const [some, others] = [dealt.slice(0, rounds), dealt.slice(-rounds)]
    ratios.push({ minimum: Math.min(...some) / Math.min(...others), median: medianOf(some) / medianOf(others) })
  }
  return { ofMinimum: rangeOf(ratios.map(({ minimum }) => minimum)), ofMedian: rangeOf(ratios.map(({ median }) => median)) }
}

/** @param {number[]} values */
function rangeOf (values) {
  const sorted = values.toSorted((a, b) => a - b)
  return { low: sorted[Math.floor(sorted.length * OUTSIDE)], high: sorted[Math.ceil(sorted.length * (1 - OUTSIDE)) - 1] }
}

/**
 * @param {number[]} values
 * @param {() => number} random
 */
function shuffle (values, random) {
  for (let at = values.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[values[at], values[other]] = [values[other], values[at]]
  }
}

/**
 * The same ones each time: the same rounds have the same noise. (mulberry32)
 * @param {number} seed
 */
function randomNumbers (seed) {
  return () => {
    seed = (seed + 0x6D2B79F5) | 0
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

module.exports = { noiseOf }
