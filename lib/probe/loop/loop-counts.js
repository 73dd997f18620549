'use strict'

// The main thread's figures for rules, read only while a rule needs them: the observer requests them every five seconds.

const { monotonicMicros } = require('../../base/monotonic')

/** @import { LoopCounts } from '../../shared/rules/conditions' */
/** @import { DurationsReading } from '../../api/http/request-durations' */
/** @import { Instruments } from '../instruments' */

/**
 * @param {Pick<Instruments, 'loop' | 'heap'>} instruments
 * @param {{ read (): DurationsReading }} requests
 */
function createLoopCounts ({ loop, heap }, requests) {
  /** From the first request of a rule that needs it, until the instruments stop. @type {ReturnType<typeof heap.watch> | undefined} */
  let watch

  /**
   * @param {{ needsHeap: boolean }} question
   * @returns {LoopCounts}
   */
  return ({ needsHeap }) => {
    if (needsHeap) watch ??= heap.watch()
    const { active, idle } = loop.time.read()
    const { bounds, counts, count } = loop.delay.read()
    const trend = watch?.trend()
    return {
      atMs: monotonicMicros() / 1e3,
      activeMs: active,
      idleMs: idle,
      delay: { bounds, counts, count },
      ...countResponses(requests.read().durations),
      heapAfterGcBytes: trend === undefined || trend.points === 0 ? null : trend.usedBytes
    }
  }
}

/** @param {DurationsReading['durations']} durations */
function countResponses (durations) {
  const sum = (/** @type {DurationsReading['durations']} */ some) => some.reduce((all, { reading }) => all + reading.count, 0)
  return { responses: sum(durations), errorResponses: sum(durations.filter(({ status }) => Number(status) >= 500)) }
}

module.exports = { createLoopCounts }
