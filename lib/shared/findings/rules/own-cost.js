'use strict'

// What these diagnostics cost themselves. They are to be told on like anybody else.

const { makeFinding } = require('../finding')
const { observedMsOf } = require('../readings')
const { duration, percent, rounded } = require('../words')

/** @import { Rule } from '../finding' */

// Of the time of the main thread since start. The budget is far below (docs/overhead.md).
const MAX_SHARE = 0.05
// In threads of their own.
const ELSEWHERE = new Set(['observer', 'source-maps'])
// At start everything is loaded at once.
const MIN_UPTIME_MS = 30_000

/** Of what costs most. @type {Record<string, { why: string, instead: string }>} */
const ADVICE = {
  heartbeat: { why: 'the heartbeat wakes the loop at each of its periods', instead: 'raise heartbeatMs' },
  recorder: {
    why: 'ending a window of the sampler takes time of the main thread, the more the larger the application is',
    instead: 'raise recorder.windowSeconds, lower recorder.hz'
  },
  'own-work': {
    why: 'heap snapshots, histograms and reports stop the application while they are made',
    instead: 'make them less often, and heap histograms instead of snapshots'
  }
}

const ANY = Object.freeze({ why: 'it is time of the main thread that the application does not have', instead: 'turn off what is not needed' })

/** @type {Rule} */
module.exports = {
  ids: ['own-cost'],
  explains: [],
  find (readings) {
    const { process, pid, ownCpu: { ranShare, observerMs } } = readings
    if (process === null || process.uptimeMs < MIN_UPTIME_MS) return []
    // It is measured by the clock, which goes on while others have the processor.
    const own = Object.entries(process.ownSeconds).filter(([component]) => !ELSEWHERE.has(component))
      .map(([component, seconds]) => ({ component, seconds: seconds * ranShare })).sort((left, right) => right.seconds - left.seconds)
    const seconds = own.reduce((sum, one) => sum + one.seconds, 0)
    const share = seconds * 1e3 / process.uptimeMs
    if (share < MAX_SHARE) return []
    const parts = own.map(({ component, seconds }) => `${component} ${duration(seconds * 1e3)}`).join(', ')
    const threads = Object.entries({ observer: (observerMs ?? 0) / 1e3, 'source maps': process.ownSeconds['source-maps'] ?? 0 }).filter(([, seconds]) => seconds > 0)
    const beside = threads.length === 0 ? '' : `; in threads of their own: ${threads.map(([thread, seconds]) => `${thread} ${duration(seconds * 1e3)}`).join(', ')}`
    return [makeFinding(readings, {
      id: 'own-cost',
      title: `These diagnostics themselves cost ${percent(share)} of the main thread's time.`,
      lostMs: observedMsOf(readings) * share,
      what: `CPU time since the start ${duration(process.uptimeMs)} ago: ${parts}${beside}.`,
      ...(ADVICE[own[0].component] ?? ANY),
      evidence: { share: rounded(share, 3), seconds: rounded(seconds), observerSeconds: observerMs === null ? null : rounded(observerMs / 1e3), mostOf: own[0].component },
      next: own[0].component === 'own-work' ? [`npx loopscope artifacts ${pid}`] : [`npx loopscope metrics ${pid}`]
    })]
  }
}
