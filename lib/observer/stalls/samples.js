'use strict'

// What the samples of a stall say by when they were taken and how many there are. Pure: a profile in, plain data out.

const { describeFrame } = require('../../shared/formats/profile/frame')

/** @import { CpuProfile } from '../../../types/profile' */

/**
 * The longest time in which no sample was taken. V8's sampler is a thread of the process: while that stands still there is none.
 * @param {CpuProfile} profile
 */
function longestGapMs ({ startTime, endTime, timeDeltas }) {
  const afterLast = endTime - startTime - timeDeltas.reduce((sum, delta) => sum + delta, 0)
  return timeDeltas.reduce((longest, delta) => Math.max(longest, delta), afterLast) / 1e3
}

/**
 * How many samples saw code run, and not the collector, the engine or nothing.
 * @param {CpuProfile} profile
 */
function codeSampleCount ({ nodes, samples }) {
  const code = new Set(nodes.filter(({ callFrame }) => describeFrame(callFrame).origin !== 'meta').map(({ id }) => id))
  return samples.filter(id => code.has(id)).length
}

module.exports = { codeSampleCount, longestGapMs }
