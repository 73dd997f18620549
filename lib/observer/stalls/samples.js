'use strict'

// What the samples of a stall say by when they were taken, whatever they hold. Pure: a profile in, plain data out.

/** @import { CpuProfile } from '../../../types/profile' */

/**
 * The longest time in which no sample was taken. V8's sampler is a thread of the process: while that stands still there is none.
 * @param {CpuProfile} profile
 */
function longestGapMs ({ startTime, endTime, timeDeltas }) {
  const afterLast = endTime - startTime - timeDeltas.reduce((sum, delta) => sum + delta, 0)
  return timeDeltas.reduce((longest, delta) => Math.max(longest, delta), afterLast) / 1e3
}

module.exports = { longestGapMs }
