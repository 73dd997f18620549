'use strict'

// Decides from evidence why the loop was late and whether the culprit may be named, and computes the figures that this needs from the
// samples of a stall. Pure: it reads no clock and no file.

const { describeFrame, LOOP_IO } = require('../../formats/profile/frame')

/** @import { Cause, Culprit, StallEvidence } from '../../../types/diagnostics' */
/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Origin } from '../../formats/profile/frame' */

// A cause must explain half of a stall before it may be named, so that no two causes can both claim it.
const SHARE = 0.5
// Under CPU contention every thread waits for a CPU. The wait is the cause only if the code that ran in between was too short to stall
// the loop by itself, or if the wait is far longer.
const DOMINANT_SHARE = 0.75
// Code that allocates much shares its time with the garbage collector, and the code is what to fix: JSON.parse() of 20 MB spent up to half
// of its time there. Beyond two thirds the collector is the cause.
const COLLECTOR_FACTOR = 2
// Where the system does not report waits for a CPU: V8's sampler is a thread of the process. With this share of its samples it was on time, so
// there was CPU time for the loop's thread as well. With twelve busy processes on two CPUs it had a fifth to a half of them.
const MIN_SAMPLED_SHARE = 0.75

// With these causes code did not hold the loop by itself, or nothing proves that it did: it has few samples, and each may be of any function.
const CAUSES_BESIDE_CODE = /** @type {readonly Cause[]} */ (['gc', 'starved', 'unknown'])
const MIN_CODE_SAMPLES = 5
const MIN_CULPRIT_SHARE = 1 / 2

const QUIET_NAMES = new Set(['(root)', '(program)', '(idle)', LOOP_IO])
const MAX_GAP_MICROS = 50e3 // five samples at the usual rate: what is seen after a longer gap did not run during all of it

/**
 * @typedef {object} MeasuredTime
 * @property {number} durationMs
 * @property {number} thresholdMs          the delay from which a stall counts
 * @property {number | null} [unsampledMs] the longest time of it without a sample; null where nothing was sampled
 * @property {number} [missedMs]           how much of it had passed when sampling began
 * @property {number} [sampledShare]       the samples of it, as a share of those at the sampling rate
 * @property {boolean} [isOwnCpu]          evidence.cpuMs is the thread's own, although evidence.runQueueMs is not reported
 */

/** @param {MeasuredTime} stall @param {StallEvidence} evidence @returns {Cause} */
function judgeCause (stall, evidence) {
  const needMs = stall.durationMs * SHARE
  const { cpuMs, codeMs, gcMs } = evidence
  const { sampledShare = 0 } = stall
  if (isStarved(stall, evidence)) return 'starved'
  if (isSuspended(stall, evidence)) return 'suspended'
  if (evidence.runQueueMs === null && !hadCpuTime(stall, evidence)) return 'unknown'
  // Samples of gc and of code divide the time between them; the rest of a stall can be unsampled, or the engine's: then gc is not most of it.
  const isCollector = gcMs !== null && codeMs !== null && gcMs > 0 && gcMs >= codeMs * COLLECTOR_FACTOR && gcMs >= needMs * Math.min(1, sampledShare)
  // A few samples of the collector do not prove what held the loop before there were samples.
  if (isCollector && (!stall.missedMs || gcMs >= needMs)) {
    if (evidence.runQueueMs === null) return (cpuMs ?? needMs) >= needMs ? 'gc' : 'unknown'
    return isCollectorStarved(stall, evidence) ? 'starved' : 'gc'
  }
  if (codeMs !== null && codeMs > 0) return mayHaveStoodStill(stall, evidence) ? 'unknown' : 'code'
  // Without samples CPU time is the only evidence. A blocking wait in a native call uses none, so its cause stays unknown.
  return cpuMs !== null && cpuMs >= needMs ? 'code' : 'unknown'
}

/**
 * The system did not run a thread that was ready: a CPU quota, or too many other threads.
 * @param {{ durationMs: number, thresholdMs: number }} stall
 * @param {StallEvidence} evidence
 */
function isStarved (stall, evidence) {
  const { durationMs, thresholdMs } = stall
  const { throttledMs, runQueueMs, cpuMs } = evidence
  if ((throttledMs ?? 0) >= durationMs * SHARE) return true
  if (runQueueMs === null) return false
  const needShare = (cpuMs ?? 0) < thresholdMs ? SHARE : DOMINANT_SHARE
  const stoodMs = stoodStillMs(stall, evidence)
  return runQueueMs >= stoodMs && runQueueMs + stoodMs >= durationMs * needShare
}

/**
 * Where the system does not report waits for a CPU: whether the thread ran, or could have run, for most of the stall. Its own CPU time proves it;
 * or two other threads of the process that were on time, the sampler and the observer: then a thread without CPU time was in a blocking call.
 * @param {MeasuredTime} stall
 * @param {StallEvidence} evidence
 */
function hadCpuTime ({ durationMs, sampledShare = 0, isOwnCpu = false }, { cpuMs, observerLateMs }) {
  const needMs = durationMs * SHARE
  if (isOwnCpu && cpuMs !== null && cpuMs >= needMs) return true
  return sampledShare >= MIN_SAMPLED_SHARE && (observerLateMs ?? 0) < needMs
}

/**
 * How long main thread and observer both neither ran nor waited for a CPU.
 * @param {{ durationMs: number }} stall
 * @param {StallEvidence} evidence
 */
function stoodStillMs ({ durationMs }, { observerLateMs, cpuMs, runQueueMs }) {
  return Math.max(0, Math.min(observerLateMs ?? 0, durationMs - (cpuMs ?? 0) - (runQueueMs ?? 0)))
}

/**
 * A collection in which the main thread slept because the system did not run V8's helper threads; or in which it did too little to stall
 * the loop by itself, however its wait divides into sleep and run-queue time.
 * @param {{ durationMs: number, thresholdMs: number }} stall
 * @param {StallEvidence} evidence
 */
function isCollectorStarved ({ durationMs, thresholdMs }, { cpuMs, runQueueMs }) {
  if (cpuMs === null || runQueueMs === null) return false
  const needMs = durationMs * SHARE
  return cpuMs + runQueueMs < needMs || cpuMs < Math.min(needMs, thresholdMs)
}

/**
 * The whole process stood still without waiting for a CPU: SIGSTOP, a frozen cgroup, a paused machine. That holds for each of its threads:
 * the observer, which is on time while the main thread waits in a native call; the main thread, which neither ran nor was ready to; and
 * V8's sampler. If one of them was busy, the others were merely late.
 * @param {{ durationMs: number, unsampledMs?: number | null }} stall
 * @param {StallEvidence} evidence
 */
function isSuspended (stall, evidence) {
  const needMs = stall.durationMs * SHARE
  // Without the run-queue time, it may as well have waited for a CPU.
  return evidence.runQueueMs !== null && stoodStillMs(stall, evidence) >= needMs && (stall.unsampledMs ?? Infinity) >= needMs
}

/**
 * The observer sleeps up to half of the threshold between two checks, and is late by so much less than the process stood still: not proof
 * enough to name that, but the few samples of code beside it, which explain no half of the stall, are no proof either.
 * @param {{ durationMs: number, thresholdMs: number, unsampledMs?: number | null }} stall
 * @param {StallEvidence} evidence
 */
function mayHaveStoodStill (stall, evidence) {
  const { durationMs, thresholdMs, unsampledMs } = stall
  const { cpuMs, codeMs, runQueueMs } = evidence
  const needMs = durationMs * SHARE
  if (cpuMs === null || runQueueMs === null || cpuMs >= thresholdMs || (codeMs ?? 0) >= needMs) return false
  const stoodMs = stoodStillMs(stall, evidence)
  return stoodMs > 0 && stoodMs + thresholdMs / 2 >= needMs && durationMs - cpuMs - runQueueMs >= needMs && (unsampledMs ?? 0) >= needMs
}

/**
 * The culprit, if it may be named. When the collector or the system held the loop, what ran does not matter unless the little that ran was
 * clearly one function of the application: framework code that merely happened to be on the stack is not blamed.
 * @param {Cause} cause
 * @param {{ culprit: Culprit | null, origin: Origin | null }} found  origin: the code that the culprit belongs to
 * @param {number} codeSamples  how many samples show code
 * @returns {Culprit | null} null rather than a wrong one
 */
function acceptCulprit (cause, { culprit, origin }, codeSamples) {
  if (culprit === null || !CAUSES_BESIDE_CODE.includes(cause)) return culprit
  return origin === 'app' && codeSamples >= MIN_CODE_SAMPLES && culprit.share >= MIN_CULPRIT_SHARE ? culprit : null
}

/**
 * Whether stack probes may name the culprit (culprit/culprit-from-stacks.js): a collection may leave too few samples of code. Not if the system did
 * not run the process: then V8 answers a probe when the process runs again, wherever that is.
 * @param {Cause} cause
 * @param {number} codeSamples  if there are enough and they still name no culprit, probes are no better evidence
 */
function canUseProbes (cause, codeSamples) {
  return cause === 'gc' && codeSamples < MIN_CODE_SAMPLES
}

/**
 * How many samples there are, as a share of those that there should be.
 * @param {CpuProfile} profile
 * @param {number} durationMs
 * @param {number} hz
 */
function shareSampled ({ samples }, durationMs, hz) {
  return samples.length * 1e3 / hz / durationMs
}

/**
 * The longest time without a sample. V8's sampler is a thread of the process: while the process stands still there are no samples.
 * @param {CpuProfile} profile
 */
function longestGapMs ({ startTime, endTime, timeDeltas }) {
  const afterLast = endTime - startTime - timeDeltas.reduce((sum, delta) => sum + delta, 0)
  return timeDeltas.reduce((longest, delta) => Math.max(longest, delta), afterLast) / 1e3
}

/**
 * The longest time in which all samples show code or the collector, and none was missed.
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

/** How many samples show running code, and not the collector, the engine or nothing. @param {CpuProfile} profile */
function codeSampleCount ({ nodes, samples }) {
  const code = new Set(nodes.filter(({ callFrame }) => describeFrame(callFrame).origin !== 'meta').map(({ id }) => id))
  return samples.filter(id => code.has(id)).length
}

module.exports = { acceptCulprit, canUseProbes, codeSampleCount, judgeCause, longestBusyMs, longestGapMs, shareSampled }
