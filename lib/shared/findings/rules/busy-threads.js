'use strict'

// Other threads of the process are at work. That is what they are for, and the loop does not show it: a word is owed, so that nobody takes an
// idle loop for an idle process. Where requests are slow meanwhile, it is what they wait for.

const { showPosition } = require('../../formats/profile/frame')
const { makeFinding } = require('../finding')
const { NOTABLE_WORKERS, observedMsOf, slowRoutes, utilizationOf, workersOf } = require('../readings')
const { duration, percent, rounded } = require('../words')

/** @import { Finding } from '../../../../types/findings' */
/** @import { Rule } from '../finding' */
/** @import { Readings, ThreadLoad } from '../readings' */

// Workers that start up have a few hundred milliseconds.
const MIN_MS = 1000
// From here on a request that takes long may well wait for them: half a processor, and a loop that has room.
const FULL = 0.5
const MAX_UTILIZATION = 0.6

/** @type {Rule} */
module.exports = {
  ids: ['busy-threads'],
  explains: ['slow-elsewhere'],
  find (readings) {
    const { threads, pid } = readings
    const workers = workersOf(readings)
    if (threads === null || workers === null || workers < NOTABLE_WORKERS || threads.workerMs < MIN_MS) return []
    const who = threads.isPoolApart ? 'Worker threads' : "Worker threads, or libuv's pool,"
    return [makeFinding(readings, {
      id: 'busy-threads',
      ...weightOf(readings, workers),
      title: `${who} had ${percent(workers)} of a processor, while the main loop was busy ${percent(utilizationOf(readings))} of the time.`,
      what: whatOf(threads),
      why: 'their work is not in the figures, stalls and profiles of the main loop: that can be idle while all processors are taken',
      instead: 'look into the threads: what runs in them, and whether there are as many as processors for work that fills one',
      evidence: {
        workers: rounded(workers, 3),
        peak: rounded(threads.peak, 3),
        workerMs: Math.round(threads.workerMs),
        poolMs: Math.round(threads.poolMs),
        threads: namesOf(threads)
      },
      next: [`npx loopscope profile ${pid} --threads`]
    })]
  }
}

/**
 * By itself it is no loss.
 * @param {Readings} readings
 * @param {number} workers
 * @returns {Pick<Finding, 'severity' | 'lostMs' | 'share'>}
 */
function weightOf (readings, workers) {
  const utilization = utilizationOf(readings)
  if (workers < FULL || utilization > MAX_UTILIZATION || slowRoutes(readings).length === 0) return { severity: 'info', lostMs: 0, share: 0 }
  return { severity: 'warning', lostMs: observedMsOf(readings) * (1 - utilization), share: 1 - utilization }
}

/** @param {ThreadLoad} threads */
function whatOf ({ ms, workerMs, peak, busiest, watched }) {
  const total = `In the last ${duration(ms)} they had ${duration(workerMs)} of processor time, and ${percent(peak)} of a processor in the busiest five seconds.`
  if (watched.length > 0) return `${total} At work, by samples: ${watched.map(describeThread).join('; ')}.`
  return busiest.length === 0 ? `${total} None of them runs any more.` : `${total} By name: ${namesOf({ busiest })}.`
}

/** @param {ThreadLoad['watched'][number]} thread */
function describeThread ({ name, busyMs, top }) {
  return `${name} ${duration(busyMs)}${top === null ? '' : ` in ${top.function} (${showPosition(top)})`}`
}

/** @param {Pick<ThreadLoad, 'busiest'>} threads */
function namesOf ({ busiest }) {
  return busiest.map(({ name, ms }) => `${name} ${duration(ms)}`).join(', ')
}
