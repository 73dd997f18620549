'use strict'

// Log lines: the console writes them synchronously to files and terminals, and every logger puts them together on the loop. They are
// written all over an application, so their time is added up.

const { makeFinding, MIN_SAMPLES } = require('../../finding')
const { observedMsOf, utilizationOf } = require('../../readings')
const { duration, percent, placed, rounded } = require('../../words')
const { kindOf } = require('./kind')

/** @import { Readings } from '../../readings' */
/** @import { Rule } from '../../finding' */

// A service that logs each request spends some percent on it.
const MIN_TIME_SHARE = 0.15
const MIN_BUSY_SHARE = 0.25
const FULL = 0.7
const SAMPLE_MS = 10

/** @type {Rule} */
module.exports = {
  ids: ['hot-logging'],
  explains: ['many-short-turns', 'slow-elsewhere'],
  find (readings) {
    const { activity } = readings
    if (activity === null) return []
    const { topics: { logging: { ms, where } }, spots, busyMs } = activity
    const share = busyMs === 0 ? 0 : ms / busyMs
    const stalls = spots.filter(spot => kindOf(spot) === 'hot-logging').reduce((sum, spot) => sum + spot.stalls.count, 0)
    if (ms < MIN_SAMPLES * SAMPLE_MS || !isMuch(ms, share, readings)) return []
    return [makeFinding(readings, {
      id: 'hot-logging',
      title: `The process spends ${percent(share)} of the loop's busy time in writing logs${where === null ? '' : `, most of it for ${placed(where)}`}.`,
      lostMs: ms,
      what: `Log lines held the loop for ${duration(ms)} of the last ${duration(observedMsOf(readings))}.`,
      where: where && { ...where, via: null, route: null },
      why: 'the console writes to files and terminals synchronously, and every line is put together on the event loop',
      instead: 'log less (a level, a sample), and write with a logger that writes in another thread or in large pieces, such as pino with sync: false',
      evidence: { busyShare: rounded(share, 3), ms: rounded(ms), stalls },
      next: [`npx loopscope profile ${readings.pid}`]
    })]
  }
}

/**
 * @param {number} ms
 * @param {number} share  of the busy time
 * @param {Readings} readings
 */
function isMuch (ms, share, readings) {
  return ms >= observedMsOf(readings) * MIN_TIME_SHARE || (share >= MIN_BUSY_SHARE && utilizationOf(readings) >= FULL)
}
