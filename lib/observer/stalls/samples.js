'use strict'

// What the samples of a stall say by when they were taken and how many there are. Pure: a profile in, plain data out.

const { LOOP_IO, describeFrame } = require('../../shared/formats/profile/frame')

/** @import { CpuProfile } from '../../../types/profile' */

const QUIET_NAMES = new Set(['(root)', '(program)', '(idle)', LOOP_IO])
const MAX_GAP_MICROS = 50e3 // five samples at the usual rate: what a longer one ends with was not there all the time

/**
 * The longest time in which no sample was taken. V8's sampler is a thread of the process: while that stands still there is none.
 * @param {CpuProfile} profile
 */
function longestGapMs ({ startTime, endTime, timeDeltas }) {
  const afterLast = endTime - startTime - timeDeltas.reduce((sum, delta) => sum + delta, 0)
  return timeDeltas.reduce((longest, delta) => Math.max(longest, delta), afterLast) / 1e3
}

/**
 * The longest time in which all samples saw code or the collector, and none was missed.
 * @param {CpuProfile | null} profile
 */
function longestBusyMs (profile) {
  if (profile === null) return 0
  const busy = new Set(profile.nodes.filter(({ callFrame }) => !QUIET_NAMES.has(callFrame.functionName)).map(({ id }) => id))
  let longestMicros = 0
  let micros = 0
  profile.samples.forEach((id, index) => {
    const delta = profile.timeDeltas[index]
    micros = busy.has(id) && delta <= MAX_GAP_MICROS ? micros + delta : 0
    longestMicros = Math.max(longestMicros, micros)
  })
  return longestMicros / 1e3
}

/**
 * How many samples saw code run, and not the collector, the engine or nothing.
 * @param {CpuProfile} profile
 */
function codeSampleCount ({ nodes, samples }) {
  const code = new Set(nodes.filter(({ callFrame }) => describeFrame(callFrame).origin !== 'meta').map(({ id }) => id))
  return samples.filter(id => code.has(id)).length
}

module.exports = { codeSampleCount, longestBusyMs, longestGapMs }
