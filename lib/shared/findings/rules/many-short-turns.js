'use strict'

// The loop is always at work with turns that are all short: no stall, no single place, and still everything waits its turn.

const { makeFinding, MIN_SAMPLES } = require('../finding')
const { inFlightOf, observedMsOf, ranShare, sumStalls, utilizationOf } = require('../readings')
const { duration, percent, placed, rounded } = require('../words')

/** @import { Rule } from '../finding' */

// From here on work waits more than it runs: with one server and random arrivals the wait is nine times the work.
const FULL = 0.9
// With stalls in more of the time than this the stalls are the answer.
const MAX_STALLED_SHARE = 0.1
const MAX_PLACES = 3

/** @type {Rule} */
module.exports = {
  ids: ['many-short-turns'],
  explains: ['slow-elsewhere'],
  find (readings) {
    const { activity, process, pid } = readings
    const observedMs = observedMsOf(readings)
    const utilization = utilizationOf(readings) * ranShare(readings)
    if (activity === null || utilization < FULL || activity.samples < MIN_SAMPLES * 5) return []
    if (sumStalls(readings, ['code', 'gc', 'unknown']).ms > observedMs * MAX_STALLED_SHARE || readings.blockedMs >= readings.thresholdMs) return []
    const [heaviest] = activity.spots
    const places = activity.spots.slice(0, MAX_PLACES).map(({ culprit, share }) => `${placed(culprit)} ${percent(share)}`).join(', ')
    return [makeFinding(readings, {
      id: 'many-short-turns',
      title: `The event loop is full: busy ${percent(utilization)} of the time with many short turns, and no single one to blame.`,
      lostMs: observedMs * utilization,
      what: `Busy ${duration(activity.busyMs)} of the last ${duration(observedMs)} without notable stalls.${places === '' ? '' : ` The heaviest: ${places}.`}`,
      where: heaviest === undefined ? null : placeOf(heaviest),
      why: 'one thread runs all JavaScript: when it has no time left, every request waits for those before it',
      instead: 'run more processes (cluster, more containers) or send less here, and make the heaviest functions cheaper',
      evidence: {
        utilization: rounded(utilization, 3), delayP50Ms: rounded(process?.delay.p50Ms ?? 0), requestsInFlight: rounded(inFlightOf(readings) ?? 0)
      },
      next: [`npx loopscope profile ${pid}`]
    })]
  }
}

/** @param {import('../readings').Spot} spot */
function placeOf ({ culprit: { function: name, file, line, column, via }, route }) {
  return { function: name, file, line, column, via, route }
}
