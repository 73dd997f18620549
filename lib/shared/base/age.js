'use strict'

/**
 * How old something is by the wall clock. A clock is set back, and a date in a file may be of any year: what is dated in the future is as old
 * as it is ahead, so that it is neither believed until then nor thrown away at once.
 * @param {number} atMs  milliseconds since the epoch
 * @param {number} nowMs
 */
function ageMs (atMs, nowMs) {
  return Math.abs(nowMs - atMs)
}

module.exports = { ageMs }
