'use strict'

// The system does not run a loop that is ready to: a CPU quota, or more work on the machine than processors.

const { makeFinding } = require('../finding')
const { observedMsOf, processorShares, ranShare, sumStalls, utilizationOf } = require('../readings')
const { duration, percent, rounded, times } = require('../words')

/** @import { Stall } from '../../../../types/diagnostics' */
/** @import { Rule } from '../finding' */
/** @import { Readings } from '../readings' */

// Of the time that was measured: a shared machine lets everybody wait a little.
const MIN_WAITING_SHARE = 0.3
const MIN_THROTTLED_SHARE = 0.15
// Of all that was observed.
const MIN_LOST_SHARE = 0.1
const MIN_STARVED_SHARE = 0.02
const MIN_STALLS = 2

/** @type {Rule} */
module.exports = {
  ids: ['starved'],
  explains: ['slow-elsewhere', 'many-short-turns'],
  find (readings) {
    const observedMs = observedMsOf(readings)
    const starved = sumStalls(readings, ['starved'])
    const { waiting, throttled, cpu } = processorShares(readings)
    const atWorkMs = observedMs * utilizationOf(readings)
    const lostMs = Math.max(starved.ms, atWorkMs * (1 - ranShare(readings)))
    const isNow = (throttled >= MIN_THROTTLED_SHARE || waiting >= MIN_WAITING_SHARE) && lostMs >= observedMs * MIN_LOST_SHARE
    const isMain = isMainReason(readings)
    if (!isNow && !isMain) return []
    return [makeFinding(readings, {
      id: 'starved',
      // Otherwise what the loop does in the time that it gets comes first.
      ...(!isMain && { severity: /** @type {const} */ ('warning') }),
      lostMs,
      ...(throttled >= waiting / 2 ? quota(throttled) : neighbours(waiting)),
      what: [...countOf(starved, observedMs), `${starved.count === 0 ? 'In' : 'While it stalled, and in'} the last second, the loop was run ${percent(cpu)} ` +
        `of the time, and waited ${percent(waiting)} of it.`].join(' '),
      evidence: {
        starvedStalls: starved.count, starvedMs: starved.ms, waitingShare: rounded(waiting, 3), throttledShare: rounded(throttled, 3), cpuShare: rounded(cpu, 3)
      },
      next: [`npx loopscope stalls ${readings.pid}`]
    })]
  }
}

/**
 * Where code ran that would have held the loop for half a stall on a free machine as well, that is to be mended first.
 * @param {Readings} readings
 */
function isMainReason (readings) {
  const { stalls, thresholdMs, blockedMs } = readings
  const isOwn = (/** @type {Stall} */ { cause, evidence }) => cause !== 'starved' || (evidence.cpuMs ?? 0) >= thresholdMs / 2
  const sum = (/** @type {Stall[]} */ some) => some.reduce((ms, { durationMs }) => ms + durationMs, 0)
  const own = stalls.filter(isOwn)
  const others = stalls.filter(stall => !isOwn(stall))
  return others.length >= MIN_STALLS && sum(others) >= sum(own) + blockedMs && sum(others) >= observedMsOf(readings) * MIN_STARVED_SHARE
}

/**
 * @param {ReturnType<typeof sumStalls>} starved
 * @param {number} observedMs
 */
function countOf ({ count, ms }, observedMs) {
  return count === 0 ? [] : [`${times(count, 'stall')} of the last ${duration(observedMs)} (${duration(ms)}) had no other cause.`]
}

/** @param {number} throttled */
function quota (throttled) {
  return {
    title: `The CPU quota of its container holds this process back${throttled === 0 ? '' : ` ${percent(throttled)} of the time`}.`,
    why: 'when the quota of a period (usually 100 ms) is used up the whole process stands still until the next one, however free the machine is',
    instead: 'raise the CPU limit, or take it away and keep the request; run fewer processes, workers and threads in this container'
  }
}

/** @param {number} waiting */
function neighbours (waiting) {
  return {
    title: `The machine has more to do than processors: the loop waits ${percent(waiting)} of the time for one.`,
    why: 'the loop was ready to go on, and the system ran others instead',
    instead: 'run fewer workers here, move the neighbours or this process to another machine, or give it more processors'
  }
}
