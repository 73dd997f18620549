'use strict'

// Creates the report of a stall from the measurement of the main thread, the request that it belongs to, and its explanation.

const { toEpochMs } = require('../../base/monotonic')

/** @import { Cause, CodeFrame, Culprit, Stall, StallEvidence, Trace } from '../../../types/diagnostics' */
/** @import { LateTick } from '../../probe/loop/heartbeat' */

/**
 * @typedef {LateTick & { id: number, startingUp: boolean }} MeasuredStall
 * @typedef {{ route: string | null, trace: Trace | null }} Subject  what the main thread worked for; null: for no request, or that is not known
 * @typedef {{ delayMs: number, cause: Cause, culprit: Culprit | null, stack: CodeFrame[], evidence: StallEvidence }} Explanation
 */

const MAX_STALLS = 200 // kept of a process, and in the answer of a group

/** What is reported where there is no observer. @type {Readonly<Omit<Explanation, 'delayMs'>>} */
const UNEXPLAINED = Object.freeze({
  cause: 'unknown',
  culprit: null,
  stack: [],
  evidence: { cpuMs: null, runQueueMs: null, throttledMs: null, observerLateMs: null, codeMs: null, gcMs: null }
})

/**
 * @param {MeasuredStall} measured
 * @param {Subject} subject
 * @param {Explanation} explanation  delayMs: without loopscope's own work
 * @returns {Stall}
 */
function toStall ({ id, toMicros, ownMs, startingUp }, { route, trace }, { delayMs, cause, culprit, stack, evidence }) {
  const at = Math.round(toEpochMs(toMicros - (delayMs + ownMs) * 1e3))
  return { id, at, durationMs: Math.round(delayMs), startingUp, cause, route, trace, culprit, stack, evidence }
}

module.exports = { MAX_STALLS, UNEXPLAINED, toStall }
