'use strict'

// Formats figures and positions for the sentences of findings. Pure.

const { showPosition } = require('../../formats/profile/frame')

/** @import { Place } from './readings' */

/** @param {number} share  0 to 1 */
function percent (share) {
  return `${Math.round(share * 100)} %`
}

/** @param {number} ms */
function duration (ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`
  return ms < 90_000 ? `${(ms / 1e3).toFixed(1)} s` : `${(ms / 60_000).toFixed(0)} min`
}

/** @param {number} bytes */
function megabytes (bytes) {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`
}

/** @param {number} count  of bytes, not many */
function bytes (count) {
  return `${Math.round(count)} ${Math.round(count) === 1 ? 'byte' : 'bytes'}`
}

/** @param {number} count @param {string} one */
function times (count, one) {
  return count === 1 ? `1 ${one}` : `${count} ${one}s`
}

/** @param {Place} place */
function placed (place) {
  const position = showPosition(place)
  return position === '' ? place.function : `${place.function} (${position})`
}

/** @param {number} value @param {number} [digits] */
function rounded (value, digits = 1) {
  return Number(value.toFixed(digits))
}

/** @param {...(string | null | undefined | false)} parts  those without text are left out */
function sentences (...parts) {
  return parts.filter(Boolean).join(' ')
}

module.exports = { bytes, duration, megabytes, percent, placed, rounded, sentences, times }
