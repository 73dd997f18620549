'use strict'

// From a tick that came late to the report of a stall, wired: route and trace are known here, the explanation comes from the observer.

const { toEpochMs } = require('../../shared/base/monotonic')
const { tellTrace } = require('../tracing/tell-trace')

/** @import { Cause, CodeFrame, Culprit, Stall, StallEvidence } from '../../../types/diagnostics' */
/** @import { Ask, Tell } from '../../bridge/channel' */
/** @import { SlowRequest } from '../http/middleware' */
/** @import { Stuck } from '../http/stall-route' */
/** @import { LateTick } from '../loop/heartbeat' */

/** @typedef {{ delayMs: number, cause: Cause, culprit: Culprit | null, stack: CodeFrame[], evidence: StallEvidence }} Explanation */

// What is told of a stall when there is no observer.
/** @type {Omit<Explanation, 'delayMs'>} */
const UNEXPLAINED = Object.freeze({
  cause: 'unknown',
  culprit: null,
  stack: [],
  evidence: { cpuMs: null, runQueueMs: null, throttledMs: null, observerLateMs: null, codeMs: null, gcMs: null }
})

/**
 * @param {object} parts
 * @param {{ ask: Ask, tell: Tell }} parts.observer
 * @param {{ takeSlowest (): (SlowRequest | null)[], tell (stall: Stall): void }} parts.subscribers
 * @param {{ add (stall: Stall): void }} parts.stallLog
 * @param {(tick: LateTick, slowest: (SlowRequest | null)[]) => Stuck} parts.stuckWith
 * @param {{ rotateSoon (): void, wasStartingAt (micros: number): boolean }} parts.recording
 * @param {() => boolean} parts.isRunning
 */
function createStallReporting ({ observer, subscribers, stallLog, stuckWith, recording, isRunning }) {
  let sequence = 0

  /** @param {LateTick} tick */
  async function report (tick) {
    const stuck = stuckWith(tick, subscribers.takeSlowest())
    const startingUp = recording.wasStartingAt(tick.fromMicros)
    recording.rotateSoon()
    const id = ++sequence
    const explanation = await explain({ ...tick, id })
    if (!isRunning() || explanation === null) return
    const { delayMs, cause, culprit, stack, evidence } = explanation
    /** @type {Stall} */
    const stall = {
      id,
      at: Math.round(toEpochMs(tick.toMicros - (delayMs + tick.ownMs) * 1e3)),
      durationMs: Math.round(delayMs),
      startingUp,
      cause,
      route: stuck.route(),
      trace: stuck.trace(),
      culprit,
      stack,
      evidence
    }
    stallLog.add(stall)
    observer.tell('keepStall', { stall })
    tellTrace(stuck.spans, stall)
    subscribers.tell(stall)
  }

  /**
   * @param {LateTick & { id: number }} stall
   * @returns {Promise<Explanation | null>} null when a suspected stall was none
   */
  async function explain (stall) {
    try {
      return await observer.ask('explainStall', { stall })
    } catch {
      return stall.isSuspected ? null : { ...UNEXPLAINED, delayMs: stall.delayMs } // the observer is not running, which was warned of
    }
  }
  return { report }
}

module.exports = { createStallReporting }
