'use strict'

// What these diagnostics cost themselves. They are to be told on like anybody else.

const { makeFinding } = require('../finding')
const { observedMsOf } = require('../readings')
const { duration, percent, rounded } = require('../words')

/** @import { Rule } from '../finding' */

// Of the time of the main thread since start. The budget is far below (docs/overhead.md).
const MAX_SHARE = 0.05
// What runs beside it.
const ELSEWHERE = new Set(['observer'])
// At start everything is loaded at once.
const MIN_UPTIME_MS = 30_000

/** @type {Rule} */
module.exports = {
  ids: ['own-cost'],
  explains: [],
  find (readings) {
    const { process, pid } = readings
    if (process === null || process.uptimeMs < MIN_UPTIME_MS) return []
    const own = Object.entries(process.ownSeconds).filter(([component]) => !ELSEWHERE.has(component))
    const seconds = own.reduce((sum, [, one]) => sum + one, 0)
    const share = seconds * 1e3 / process.uptimeMs
    if (share < MAX_SHARE) return []
    const parts = own.map(([component, one]) => `${component} ${duration(one * 1e3)}`).join(', ')
    return [makeFinding(readings, {
      id: 'own-cost',
      title: `These diagnostics themselves cost ${percent(share)} of the main thread's time.`,
      lostMs: observedMsOf(readings) * share,
      what: `Since the start ${duration(process.uptimeMs)} ago: ${parts}.`,
      why: 'captures, heap snapshots and reports stop the application while they are made; a high sampling rate costs all the time',
      instead: 'capture less often, take heap histograms instead of snapshots, lower recorder.hz',
      evidence: { share: rounded(share, 3), seconds: rounded(seconds) },
      next: [`npx loopscope artifacts ${pid}`]
    })]
  }
}
