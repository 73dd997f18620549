'use strict'

// Promises or ticks that go on and on without letting the loop turn: each is short, and nothing else gets its turn. The queues' own time
// tells it, which is next to nothing where the tasks do work.

const { makeFinding, MIN_SAMPLES } = require('../finding')
const { observedMsOf, utilizationOf } = require('../readings')
const { duration, percent, placed, rounded } = require('../words')
const { kindOf } = require('./hot/kind')

/** @import { Rule } from '../finding' */

const MIN_BUSY_SHARE = 0.2
const MIN_UTILIZATION = 0.5

/** @type {Rule} */
module.exports = {
  ids: ['task-flood'],
  explains: ['hot-function', 'many-short-turns', 'slow-elsewhere'],
  find (readings) {
    const { activity, stalls, pid } = readings
    if (activity === null || activity.samples < MIN_SAMPLES * 2) return []
    const { topics: { tasks: { ms, where: caller } }, busyMs, observedMs } = activity
    const awaiting = activity.spots.filter(spot => kindOf(spot) === 'task-flood')
    // The queues' own time is in both where they have functions of their own.
    const floodMs = Math.max(ms, awaiting.reduce((sum, { queueMs }) => sum + queueMs, 0)) + awaiting.reduce((sum, spot) => sum + spot.ms, 0)
    if (floodMs < busyMs * MIN_BUSY_SHARE || utilizationOf(readings) < MIN_UTILIZATION) return []
    const share = Math.min(1, floodMs / busyMs)
    const where = awaiting[0]?.culprit ?? caller
    return [makeFinding(readings, {
      id: 'task-flood',
      title: `A flood of microtasks or ticks holds the loop${where === null ? '' : `, most of them from ${placed(where)}`}.`,
      lostMs: busyMs,
      what: `${percent(share)} of the busy time (${duration(floodMs)} of the last ${duration(observedMsOf(readings))}) went into the queues themselves, or into awaiting, and not into the tasks.`,
      where: where && { function: where.function, file: where.file, line: where.line, column: where.column, via: null, route: awaiting[0]?.route ?? null },
      why: 'promises and process.nextTick run before anything else may: as long as each starts the next one, no timer, socket or request is served',
      instead: 'let the loop turn in between, with setImmediate or `await setImmediate()` of node:timers/promises every few milliseconds; do not await what is no promise',
      evidence: { queueShare: rounded(share, 3), observedMs, stalls: stalls.length },
      confidence: 'medium',
      next: [`npx loopscope profile ${pid}`]
    })]
  }
}
