'use strict'

// Why the loop was late, judged from evidence. Pure: it reads no clock and no file.

/** @import { Cause, StallEvidence } from '../../../types/diagnostics' */

// Half: the part of a stall that a cause must explain before it may be named, so that no two causes can both claim it.
const SHARE = 0.5
// On a machine with more to do than processors everything waits its turn: waiting alone is the cause only when the code
// that ran in between was too little to stall the loop by itself, or when the wait dwarfs it.
const DWARFING_SHARE = 0.75
// Code that allocates much shares its time with the collector and is what has to be mended: JSON.parse() of 20 MB spent
// up to half of it there. Beyond two thirds it is the collector.
const COLLECTOR_FACTOR = 2

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

module.exports = { judgeCause }
