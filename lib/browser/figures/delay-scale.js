'use strict'

// How delays are drawn: on a logarithmic scale, where 5 ms can be read beside 20 s, with the highest peaks written out.
// Pure; it requires nothing: the page has the same text as a script (html-page.js).

const LOWEST_MS = 1 // what is shorter is drawn as this: nobody acts on it, and zero has no place on the scale
const LEAST_TOP_MS = 1000 // so that a healthy loop looks healthy
const MAX_PEAKS = 3

/** @param {number | null} ms */
function toScale (ms) {
  return ms === null ? null : Math.max(LOWEST_MS, ms)
}

/**
 * The least and the greatest of the scale: powers of ten.
 * @param {readonly (number | null)[]} values
 * @returns {[number, number]}
 */
function scaleOf (values) {
  const highest = values.reduce((most, value) => Math.max(most, value ?? 0), LEAST_TOP_MS)
  return [LOWEST_MS, 10 ** Math.ceil(Math.log10(highest) - 1e-9)]
}

/**
 * The lines of the scale.
 * @param {number} top
 */
function stepsTo (top) {
  return Array.from({ length: Math.round(Math.log10(top / LOWEST_MS)) + 1 }, (_, power) => LOWEST_MS * 10 ** power)
}

/** @param {number} ms  a power of ten */
function labelOf (ms) {
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`
}

/**
 * The indexes of the points whose value is written beside them, highest first.
 * @param {readonly number[]} times
 * @param {readonly (number | null)[]} values
 * @param {{ leastMs: number, apart: number }} limits  what is lower is no peak; how far from each other they are at least, as times are
 */
function peaksOf (times, values, { leastMs, apart }) {
  const candidates = [...values.keys()].filter(index => values[index] >= leastMs).sort((a, b) => values[b] - values[a])
  const peaks = []
  for (const index of candidates) {
    if (peaks.length === MAX_PEAKS) break
    if (peaks.every(peak => Math.abs(times[peak] - times[index]) >= apart)) peaks.push(index)
  }
  return peaks
}

module.exports = { toScale, scaleOf, stepsTo, labelOf, peaksOf }
