'use strict'

// A profile, and the stalls of its time, as findings read them: how busy the loop was, with what, and where. Pure but for the source lines.

const { readStacks } = require('./frames')
const { readSamples, withoutIdleEnds } = require('./samples')
const { findSocketCalls } = require('./socket-calls')
const { findSpots } = require('./spots')
const { findTopics } = require('./topics')

/** @import { Culprit, Stall } from '../../../types/diagnostics' */
/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Activity, Spot } from '../../shared/findings/readings' */
/** @import { SourceLines } from '../stalls/culprit/source-lines' */
/** @import { Stack } from './frames' */
/** @import { Sample } from './samples' */

// What ran so soon after the start, and not any more, belongs to it.
const START_UP_MS = 30_000
const OVER_MS = 1500
// A stall of these was held by the code of its culprit.
const BY_CODE = /** @type {readonly Stall['cause'][]} */ (['code', 'gc', 'unknown'])

/**
 * @param {CpuProfile} profile  in the places of the code as it was written
 * @param {object} about
 * @param {number} about.fromMs  of the profile, epoch
 * @param {number} about.startedAt  of the process, epoch
 * @param {readonly Stall[]} about.stalls
 * @param {{ appRoot: string, source: SourceLines }} context
 * @returns {Activity}
 */
function readActivity (profile, { fromMs, startedAt, stalls }, context) {
  const stacks = readStacks(profile, context.appRoot)
  const stackOf = (/** @type {Sample} */ { id }) => /** @type {Stack} */ (stacks.get(id))
  const samples = withoutIdleEnds(readSamples(profile), sample => stackOf(sample).state === 'idle')
  const sum = (/** @type {(stack: Stack) => boolean} */ is) => samples.reduce((micros, sample) => is(stackOf(sample)) ? micros + sample.micros : micros, 0)
  const busyMicros = sum(({ state }) => state !== 'idle')
  const [first] = samples
  const beginMicros = first === undefined ? 0 : first.atMicros - first.micros
  const toMs = fromMs + (profile.endTime - profile.startTime) / 1e3
  const observedFromMs = fromMs + beginMicros / 1e3
  const inTime = stalls.filter(({ at, durationMs }) => at + durationMs >= observedFromMs)
  const spots = findSpots(profile, { samples, busyMicros, stacks }, context).map(({ first, last, isLoading, ...spot }) => {
    const isEarly = fromMs + first.atMicros / 1e3 - startedAt < START_UP_MS && toMs - fromMs - last.atMicros / 1e3 > OVER_MS
    const sinceMs = fromMs + (first.atMicros - first.micros) / 1e3
    const known = withStalls({ ...spot, sinceMs, isStartUp: isLoading && isEarly, stalls: NO_STALLS, text: '' }, inTime)
    return { ...known, text: context.source.read(known.culprit.file, known.culprit.line)[0] ?? '' }
  })
  return {
    fromMs: observedFromMs,
    observedMs: samples.length === 0 ? 0 : (/** @type {Sample} */ (samples.at(-1)).atMicros - beginMicros) / 1e3,
    samples: samples.filter(sample => stackOf(sample).state !== 'idle').length,
    busyMs: busyMicros / 1e3,
    gcMs: sum(({ state }) => state === 'gc') / 1e3,
    spots,
    sockets: findSocketCalls(profile, { samples, busyMicros, stacks }, context),
    topics: findTopics(samples, stackOf)
  }
}

const NO_STALLS = Object.freeze({ count: 0, ms: 0, longestMs: 0 })

/**
 * The stack of a stall was read while it lasted: it knows the call, and its line, better.
 * @param {Spot} spot
 * @param {readonly Stall[]} stalls
 * @returns {Spot}
 */
function withStalls (spot, stalls) {
  const own = stalls.filter(({ cause, culprit }) => BY_CODE.includes(cause) && culprit !== null && isSame(culprit, spot.culprit))
  if (own.length === 0) return spot
  const longest = own.reduce((most, stall) => stall.durationMs > most.durationMs ? stall : most)
  return {
    ...spot,
    culprit: /** @type {Culprit} */ (longest.culprit),
    route: spot.route ?? mostFrequent(own.map(({ route }) => route)),
    stalls: { count: own.length, ms: own.reduce((ms, { durationMs }) => ms + durationMs, 0), longestMs: longest.durationMs }
  }
}

/**
 * @param {Culprit} left
 * @param {Culprit} right
 */
function isSame (left, right) {
  return left.file === right.file && left.functionLine === right.functionLine && left.function === right.function
}

/** @param {(string | null)[]} routes */
function mostFrequent (routes) {
  const counts = new Map()
  for (const route of routes) counts.set(route, (counts.get(route) ?? 0) + 1)
  return [...counts].sort(([, left], [, right]) => right - left)[0]?.[0] ?? null
}

module.exports = { readActivity }
