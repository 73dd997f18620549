'use strict'

// Requests take long while the loop has little to do: they wait for something outside, and no change of this kind of code would help.

const { makeFinding } = require('../finding')
const { MIN_REQUESTS, observedMsOf, slowRoutes, sumStalls, utilizationOf } = require('../readings')
const { duration, percent, rounded } = require('../words')

/** @import { Rule } from '../finding' */

const MAX_UTILIZATION = 0.6
const MAX_STALLED_SHARE = 0.05
const MAX_ROUTES = 3

/** @type {Rule} */
module.exports = {
  ids: ['slow-elsewhere'],
  explains: [],
  find (readings) {
    const { process } = readings
    const observedMs = observedMsOf(readings)
    const utilization = utilizationOf(readings)
    if (process === null || utilization > MAX_UTILIZATION) return []
    if (sumStalls(readings, ['code', 'gc', 'starved', 'suspended', 'unknown']).ms > observedMs * MAX_STALLED_SHARE) return []
    const slow = slowRoutes(readings)
    if (slow.length === 0) return []
    const [worst] = slow
    const routes = slow.slice(0, MAX_ROUTES).map(({ route, meanMs }) => `${route} ${duration(meanMs)}`).join(', ')
    const waits = describeWaits(process.waitsFor)
    return [makeFinding(readings, {
      id: 'slow-elsewhere',
      severity: 'warning',
      title: `${worst.route} takes ${duration(worst.meanMs)} on average, and it is not the event loop: that is busy ${percent(utilization)} of the time.`,
      lostMs: observedMs * (1 - utilization),
      share: 1 - utilization,
      what: `Requests wait for something else: ${routes}.${waits === '' ? '' : ` Under way now: ${waits}.`}`,
      where: null,
      why: 'the loop is idle and in time; what the request waits for is a database, another service, a lock, a timer or a queue',
      instead: `measure what ${worst.route} awaits (tracing, the log of slow queries); run in parallel what is awaited one after the other; look at the sizes of connection pools`,
      evidence: { route: worst.route, meanMs: rounded(worst.meanMs), requests: worst.count, utilization: rounded(utilization, 3), waitsFor: waits },
      confidence: worst.count >= MIN_REQUESTS * 4 ? 'high' : 'medium',
      next: [`npx loopscope slow ${readings.pid}`, `npx loopscope metrics ${readings.pid}`]
    })]
  }
}

/** @param {Record<string, number>} waitsFor */
function describeWaits (waitsFor) {
  return Object.entries(waitsFor).filter(([, count]) => count > 1).sort(([, left], [, right]) => right - left)
    .slice(0, MAX_ROUTES).map(([kind, count]) => `${count} ${kind}`).join(', ')
}
