'use strict'

// Why the loop was late, judged from evidence, and whether the culprit may be named for it; with the figures that this needs of the
// samples of a stall. Pure: it reads no clock and no file.

const { describeFrame, LOOP_IO } = require('../../formats/profile/frame')

/** @import { Cause, Culprit, StallEvidence } from '../../../types/diagnostics' */
/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Origin } from '../../formats/profile/frame' */

// Half: the part of a stall that a cause must explain before it may be named, so that no two causes can both claim it.
const SHARE = 0.5
// Under CPU contention everything waits its turn: waiting alone is the cause only when the code
// that ran in between was too little to stall the loop by itself, or when the wait dwarfs it.
const DWARFING_SHARE = 0.75
// Code that allocates much shares its time with the collector and is what has to be mended: JSON.parse() of 20 MB spent
// up to half of it there. Beyond two thirds it is the collector.
const COLLECTOR_FACTOR = 2

// Code did not hold the loop by itself then: the samples of it are few, and each may be of any function.
const CAUSES_BESIDE_CODE = /** @type {readonly Cause[]} */ (['gc', 'starved'])
const MIN_CODE_SAMPLES = 5
const MIN_CULPRIT_SHARE = 1 / 2

const QUIET_NAMES = new Set(['(root)', '(program)', '(idle)', LOOP_IO])
const MAX_GAP_MICROS = 50e3 // five samples at the usual rate: what a longer one ends with was not there all the time

/**
 * @param {{ durationMs: number, thresholdMs: number, unsampledMs?: number | null, missedMs?: number }} stall
 *   thresholdMs: from which a delay counts as a stall; unsampledMs: the longest time of it without a sample, null where nothing was
 *   sampled; missedMs: how much of it was over when sampling began
 * @param {StallEvidence} evidence
 * @returns {Cause}
 */
function judgeCause (stall, evidence) {
  const needMs = stall.durationMs * SHARE
  const { cpuMs, codeMs, gcMs } = evidence
  if (isStarved(stall, evidence)) return 'starved'
  if (isSuspended(stall, evidence)) return 'suspended'
  // gc and code share what the samples saw; a stall's remainder can be (program) or unsampled.
  const isCollector = gcMs !== null && codeMs !== null && gcMs > 0 && gcMs >= codeMs * COLLECTOR_FACTOR
  // Nor do a few samples of the collector say what held the loop before there were any.
  if (isCollector && (!stall.missedMs || gcMs >= needMs)) {
    return isCollectorStarved(stall, evidence) ? 'starved' : 'gc'
  }
  if (codeMs !== null && codeMs > 0) return 'code'
  // Without samples CPU time is the only witness; a blocking wait in a native call leaves none and stays unknown.
  return cpuMs !== null && cpuMs >= needMs ? 'code' : 'unknown'
}

/**
 * The system did not run a thread that was ready: a CPU quota, or too many others.
 * @param {{ durationMs: number, thresholdMs: number }} stall
 * @param {StallEvidence} evidence
 */
function isStarved (stall, evidence) {
  const { durationMs, thresholdMs } = stall
  const { throttledMs, runQueueMs, cpuMs } = evidence
  if ((throttledMs ?? 0) >= durationMs * SHARE) return true
  const needShare = (cpuMs ?? 0) < thresholdMs ? SHARE : DWARFING_SHARE
  const stoodMs = stoodStillMs(stall, evidence)
  return (runQueueMs ?? 0) >= stoodMs && (runQueueMs ?? 0) + stoodMs >= durationMs * needShare
}

/**
 * How long main thread and observer both neither ran nor stood in line for a processor.
 * @param {{ durationMs: number }} stall
 * @param {StallEvidence} evidence
 */
function stoodStillMs ({ durationMs }, { observerLateMs, cpuMs, runQueueMs }) {
  return Math.max(0, Math.min(observerLateMs ?? 0, durationMs - (cpuMs ?? 0) - (runQueueMs ?? 0)))
}

/**
 * A collection in which the main thread slept, waiting for helper threads of V8 that were not run; or in which it did too
 * little to stall the loop by itself, however its waiting divides into sleep and standing in line.
 * @param {{ durationMs: number, thresholdMs: number }} stall
 * @param {StallEvidence} evidence
 */
function isCollectorStarved ({ durationMs, thresholdMs }, { cpuMs, runQueueMs }) {
  if (cpuMs === null || runQueueMs === null) return false
  const needMs = durationMs * SHARE
  return cpuMs + runQueueMs < needMs || cpuMs < Math.min(needMs, thresholdMs)
}

/**
 * The whole process stood still without standing in line for a CPU: SIGSTOP, a frozen cgroup, a paused machine. Every thread of it did:
 * the observer, which is on time while the main thread waits in a native call; the main thread, which neither ran nor was about to; and
 * V8's sampler. Where one of them was at work the others were merely late.
 * @param {{ durationMs: number, unsampledMs?: number | null }} stall
 * @param {StallEvidence} evidence
 */
function isSuspended (stall, evidence) {
  const needMs = stall.durationMs * SHARE
  return stoodStillMs(stall, evidence) >= needMs && (stall.unsampledMs ?? Infinity) >= needMs
}

/**
 * The culprit, where it may be named. What ran when the collector or the system held the loop is beside the point unless the little that
 * ran was clearly one function of the application: a framework that happened to be on the stack is innocent.
 * @param {Cause} cause
 * @param {{ culprit: Culprit | null, origin: Origin | null }} found  origin: whose code the culprit is
 * @param {number} codeSamples  how many samples saw code
 * @returns {Culprit | null} null rather than a wrong one
 */
function toBlame (cause, { culprit, origin }, codeSamples) {
  if (culprit === null || !CAUSES_BESIDE_CODE.includes(cause)) return culprit
  return origin === 'app' && codeSamples >= MIN_CODE_SAMPLES && culprit.share >= MIN_CULPRIT_SHARE ? culprit : null
}

/**
 * Whether the looks may name the culprit (culprit/seen-culprit.js): a collector may leave too few samples of code. Not on a machine that did
 * not run the process: there a look is answered when it is run again, wherever that is.
 * @param {Cause} cause
 * @param {number} codeSamples  where they are enough and nobody is to blame for all that, looks are no better witnesses
 */
function mayLooksTell (cause, codeSamples) {
  return cause === 'gc' && codeSamples < MIN_CODE_SAMPLES
}

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

module.exports = { codeSampleCount, judgeCause, longestBusyMs, longestGapMs, mayLooksTell, toBlame }
