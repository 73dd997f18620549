'use strict'

// The heap on its way to its limit, where the process dies. Only a watched heap tells the slope; of any other it is known how full it is.

const { makeFinding } = require('../finding')
const { duration, megabytes, percent, rounded } = require('../words')

/** @import { Rule } from '../finding' */
/** @import { ProcessReading } from '../readings' */

// V8 collects in earnest long before the limit: what is still there at this level is in use.
const FULL = 0.75
const NEARLY_OVER = 0.9
const SOON_MINUTES = 60

/** @type {Rule} */
module.exports = {
  ids: ['heap-grows'],
  // The nearer the limit, the more it collects.
  explains: ['gc-pressure', 'slow-elsewhere'],
  find (readings) {
    const { process, activity, pid } = readings
    if (process === null) return []
    const { memory } = process
    const level = memory.oldBytes / memory.limitBytes
    const isGrowing = memory.trend?.verdict === 'growing'
    if (!isGrowing && level < FULL) return []
    const minutes = minutesOf(process)
    const isSoon = level >= NEARLY_OVER || (minutes !== null && minutes <= SOON_MINUTES)
    return [makeFinding(readings, {
      id: 'heap-grows',
      severity: isSoon || level >= FULL ? 'critical' : 'warning',
      title: isGrowing
        ? `The heap grows by ${megabytes(memory.trend?.bytesPerMinute ?? 0)} a minute${minutes === null ? '' : ` and reaches its limit in about ${duration(minutes * 60_000)}`}.`
        : `The heap is nearly full: ${megabytes(memory.oldBytes)} of ${megabytes(memory.limitBytes)} are in use.`,
      lostMs: activity?.gcMs ?? 0,
      share: Math.min(1, level),
      what: `The old generation holds ${megabytes(memory.oldBytes)}, ${percent(level)} of its limit, after ${duration(process.uptimeMs)}.`,
      why: 'something keeps a hold on what is not needed any more, or too much is kept on purpose; at the limit the process dies',
      instead: 'find what holds it with two snapshots, bound what is kept (caches, queues, listeners), or raise --max-old-space-size where it is needed',
      evidence: {
        oldBytes: memory.oldBytes, limitBytes: memory.limitBytes, bytesPerMinute: memory.trend?.bytesPerMinute ?? null, minutesToLimit: minutes && rounded(minutes)
      },
      confidence: isGrowing || level >= NEARLY_OVER ? 'high' : 'medium',
      next: [
        `npx loopscope heap ${pid} -o before.heapsnapshot`,
        `npx loopscope heap ${pid} -o after.heapsnapshot`,
        'npx loopscope diff before.heapsnapshot after.heapsnapshot'
      ]
    })]
  }
}

/** @param {ProcessReading} process */
function minutesOf ({ memory: { trend } }) {
  return trend?.minutesToLimit ?? null
}
