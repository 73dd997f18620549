'use strict'

// Finds what was wrong in the last quarter of an hour, before the observed time: the stalls are kept, the samples are not read again. Each stretch
// with stalls gets the readings of an observed time, so that the same detectors find the problem. Pure but for the source lines.

const { groupBy, sumBy } = require('../../base/sums')
const { isInPackage } = require('../../formats/profile/frame')
const { isOfCode, textOf, waitLoopOf, withStalls } = require('./activity')
const { stalledMs, UNMEASURED } = require('../../shared/findings/readings')

/** @import { Stall } from '../../../types/diagnostics' */
/** @import { Readings, HotSpot } from '../../shared/findings/readings' */
/** @import { SourceLines } from '../stalls/culprit/source-lines' */

const LOOK_BACK_MS = 15 * 60_000
const MAX_GAP_MS = 60_000
const MIN_STRETCH_MS = 10_000 // the same as for the observed time
const SAMPLE_MS = 10
const MAX_STRETCHES = 5
const NO_CATEGORY = Object.freeze({ ms: 0, where: null })
const NO_SOCKET_TIME = Object.freeze({ ms: 0, samples: 0, where: null })

/**
 * @param {readonly Stall[]} stalls  the recorded stalls
 * @param {Readings} now  of the observed time
 * @param {SourceLines} source
 * @returns {Readings[]} oldest first
 */
function earlierReadings (stalls, now, source) {
  const untilMs = now.activity?.fromMs ?? now.at
  const before = stalls.filter(({ at, durationMs }) => at + durationMs < untilMs && at >= now.at - LOOK_BACK_MS).sort((left, right) => left.at - right.at)
  /** @type {Stall[][]} */
  const stretches = []
  for (const stall of before) {
    const last = stretches.at(-1)?.at(-1)
    if (last === undefined || stall.at - last.at - last.durationMs > MAX_GAP_MS) stretches.push([stall])
    else stretches.at(-1)?.push(stall)
  }
  return stretches.slice(-MAX_STRETCHES).map(some => readingsOf(some, now, source))
}

/**
 * @param {Stall[]} stalls  of one stretch, oldest first
 * @param {Readings} now
 * @param {SourceLines} source
 * @returns {Readings}
 */
function readingsOf (stalls, now, source) {
  const fromMs = stalls[0].at
  const observedMs = Math.max(MIN_STRETCH_MS, ...stalls.map(({ at, durationMs }) => at + durationMs - fromMs))
  const busyMs = stalledMs(stalls)
  return {
    ...now,
    at: fromMs + observedMs,
    blockedMs: 0,
    activity: {
      fromMs,
      observedMs,
      samples: Math.round(busyMs / SAMPLE_MS),
      sampledShare: 1,
      busyMs,
      gcMs: stalledMs(stalls.filter(({ cause }) => cause === 'gc')),
      hotSpots: hotSpotsOf(stalls, busyMs, source),
      busySamples: [],
      categories: { logging: NO_CATEGORY, tasks: NO_CATEGORY, immediates: NO_CATEGORY, collected: NO_CATEGORY, buffers: NO_CATEGORY },
      sockets: { writes: NO_SOCKET_TIME, sends: NO_SOCKET_TIME, connects: NO_SOCKET_TIME, accepts: { ms: 0, samples: 0, closingMs: 0 }, otherWritesMs: 0, loopMs: 0 }
    },
    stalls,
    waits: [],
    calls: [],
    connections: {},
    ...UNMEASURED
  }
}

/**
 * @param {readonly Stall[]} stalls
 * @param {number} busyMs
 * @param {SourceLines} source
 * @returns {HotSpot[]} heaviest first
 */
function hotSpotsOf (stalls, busyMs, source) {
  const ofCode = stalls.filter(stall => stall.culprit !== null && !stall.startingUp && isOfCode(stall))
  const byPlace = groupBy(ofCode, ({ culprit }) => JSON.stringify([culprit?.function, culprit?.file, culprit?.functionLine]))
  return [...byPlace.values()].map(some => {
    const { culprit, stalls } = withStalls({ culprit: /** @type {HotSpot['culprit']} */ (some[0].culprit), ms: 0 }, some)
    const routes = sumBy(some, ({ route }) => route, ({ durationMs }) => durationMs)
    return {
      culprit,
      calledShare: 1,
      origin: /** @type {HotSpot['origin']} */ (isInPackage(culprit.file) ? 'dependency' : 'app'),
      ms: stalls.ms,
      ownMs: stalls.ms,
      share: stalls.ms / busyMs,
      samples: Math.round(stalls.ms / SAMPLE_MS),
      sinceMs: some[0].at,
      route: routes.size === 1 ? some[0].route : null,
      routes: [...routes].map(([route, heldMs]) => ({ route, share: heldMs / busyMs })).sort((left, right) => right.share - left.share),
      text: textOf(culprit, some[0].stack, source),
      waitLoop: waitLoopOf(culprit, some[0].stack, source),
      isOwn: true,
      isLogging: false,
      isStreaming: false,
      isWriting: false,
      development: null,
      inPackage: null,
      compiling: null,
      converter: null,
      queueMs: 0,
      isStartUp: false,
      sync: null,
      stalls
    }
  }).sort((left, right) => right.ms - left.ms)
}

module.exports = { earlierReadings }
