'use strict'

// The answer when no rule found anything wrong: that nothing is, with the figures that say so, or that too little was seen to tell. Pure.

const { MIN_SAMPLES, makeFinding } = require('./finding')
const { NOTABLE_WORKERS, observedMsOf, onlyRoute, sumStalls, utilizationOf, workersOf } = require('./readings')
const { duration, percent, placed, times } = require('./words')

/** @import { Readings } from './readings' */

// Less than this and a minute-long habit has hardly begun.
const MIN_OBSERVED_MS = 5000
// From here on one place has a share of the busy time that is worth naming.
const NOTABLE_SHARE = 0.3

/** @param {Readings} readings */
function otherwise (readings) {
  return observedMsOf(readings) < MIN_OBSERVED_MS ? tooLittle(readings) : nothingWrong(readings)
}

/** @param {Readings} readings */
function tooLittle (readings) {
  const observed = duration(observedMsOf(readings))
  const isOff = readings.activity === null
  return makeFinding(readings, {
    id: 'too-little-seen',
    severity: 'none',
    title: isOff ? 'Nothing was recorded, so nothing can be said.' : `Too little was seen to say what is wrong: ${observed}.`,
    lostMs: 0,
    what: isOff ? 'The recorder is off, or paused.' : `The recorder holds ${observed} of this process so far.`,
    why: 'a habit shows in seconds of work, not in moments',
    instead: isOff ? 'leave option recorder on' : `ask again while it is at work, in ${duration(MIN_OBSERVED_MS)} or more`,
    confidence: 'low',
    evidence: { observedMs: observedMsOf(readings) },
    next: [`npx loopscope why ${readings.pid}`]
  })
}

/** @param {Readings} readings */
function nothingWrong (readings) {
  const { process, stalls } = readings
  const all = sumStalls(readings, ['code', 'gc', 'starved', 'suspended', 'unknown'])
  const p99 = process === null ? [] : [`delay p99 ${duration(process.delay.p99Ms)}`]
  const longest = all.count === 0 ? 'no stall' : `${times(all.count, 'stall')}, ${duration(all.longestMs)} at the longest`
  const workers = workersOf(readings) ?? 0
  const threads = workers < NOTABLE_WORKERS ? [] : [`worker threads ${percent(workers)} of a processor`]
  const figures = [`utilisation ${percent(utilizationOf(readings))}`, ...threads, longest, ...p99].join(', ')
  return makeFinding(readings, {
    id: 'nothing-wrong',
    severity: 'none',
    title: `Nothing is wrong with ${threads.length === 0 ? 'this process' : "this process's loop"}: ${figures}.`,
    lostMs: 0,
    what: [`Observed ${duration(observedMsOf(readings))}: ${figures}.`, ...heaviest(readings)].join(' '),
    why: 'no rule found a loss that would be worth a change',
    instead: 'nothing',
    confidence: readings.isStale ? 'low' : 'high',
    evidence: { utilization: utilizationOf(readings), stalls: stalls.length, longestStallMs: all.longestMs, delayP99Ms: process?.delay.p99Ms ?? null },
    next: []
  })
}

/**
 * For who wants to make it cheaper all the same.
 * @param {Readings} readings
 */
function heaviest ({ activity }) {
  const spot = activity?.spots[0]
  if (spot === undefined || spot.share < NOTABLE_SHARE || spot.samples < MIN_SAMPLES) return []
  const only = onlyRoute(spot)
  return [`Most of its work, ${percent(spot.share)}, is in ${placed(spot.culprit)}${only === null ? '' : `, for ${only.route}`}.`]
}

module.exports = { otherwise }
