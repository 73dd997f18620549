'use strict'

// What detectors of waits share: the lines at which sampled requests waited, scaled to all requests of the observed time, and what that cost. Pure.

const { sum } = require('../../base/sums')
const { makeFinding } = require('./finding')
const { callName, MIN_REQUESTS, observedMsOf, slowInTime, utilizationOf } = require('../../shared/findings/readings')
const { percent, placed } = require('../../shared/findings/format-text')

/** @import { Finding } from '../../../types/findings' */
/** @import { RouteWaits, WaitLine } from '../../../types/waits' */
/** @import { CallReading, Readings } from '../../shared/findings/readings' */
/** @import { FindingParts } from './finding' */

// A timer, whichever function sets it.
const TIMERS = new Set(['timer', 'node:timers/promises', 'delay'])
// A request that waits at once for as long does so on purpose: a pause that is a mistake is shorter.
const LONG_POLL_MS = 4000

// Where the sampled requests took much longer than all, they were the first ones, or others of another kind.
const MAX_UNLIKE = 2.5

/**
 * @typedef {object} RouteLine
 * @property {string} route
 * @property {WaitLine} line
 * @property {number} meanMs     that a request waited here
 * @property {number} share      of its duration
 * @property {number} perSecond  requests of the route
 * @property {number} waitingPerSecond  those of them that wait here
 * @property {number} seconds    in all requests of the observed time
 */

/**
 * @param {Readings} readings
 * @returns {(RouteWaits & { perSecond: number, seconds: number, meanMs: number })[]} routes with enough sampled requests, which are like all their requests;
 *   seconds, meanMs: of all
 */
function sampledRoutes ({ waits = [], pace }) {
  return waits.filter(({ requests }) => requests >= MIN_REQUESTS).flatMap(route => {
    const found = pace.routes.find(one => one.route === route.route)
    if (found === undefined || found.seconds === 0 || pace.ms === 0) return []
    const meanMs = found.seconds * 1e3 / found.count
    const unlike = route.totalMs / route.requests / meanMs
    return unlike > MAX_UNLIKE || unlike < 1 / MAX_UNLIKE ? [] : [{ ...route, perSecond: found.count * 1e3 / pace.ms, seconds: found.seconds, meanMs }]
  })
}

/**
 * @param {Readings} readings
 * @param {(line: WaitLine) => boolean} isMeant
 * @returns {RouteLine[]} most time first
 */
function linesOf (readings, isMeant) {
  return sampledRoutes(readings).flatMap(({ route, requests, perSecond, seconds, meanMs, lines }) => {
    return lines.filter(isMeant).map(line => {
      return { route, line, meanMs: meanMs * line.share, share: line.share, perSecond, waitingPerSecond: perSecond * line.requests / requests, seconds: seconds * line.share }
    })
  }).sort((left, right) => right.seconds - left.seconds)
}

/**
 * Whether requests seem to wait for the next event, or the time at which they give up: nothing is wrong then.
 * @param {WaitLine} line
 */
function mayBeLongPoll ({ awaited, resumedBy, turnMs, ms, waits, requests }) {
  const isForEvent = awaited === null || awaited === 'node:events' || TIMERS.has(awaited)
  return isForEvent && resumedBy === null && turnMs === 0 && waits < requests * 1.5 && ms >= requests * LONG_POLL_MS
}

/** The time of all requests that were answered. @param {Readings} readings */
function requestSecondsOf ({ pace }) {
  return sum(pace.routes, ({ seconds }) => seconds)
}

/**
 * @param {Readings} readings
 * @param {number} seconds  of requests
 * @returns {Pick<Finding, 'severity' | 'lostMs' | 'share'>}
 */
function lossOf (readings, seconds) {
  const all = requestSecondsOf(readings)
  const share = all === 0 ? 0 : Math.min(1, seconds / all) * (1 - utilizationOf(readings))
  return { severity: 'warning', lostMs: observedMsOf(readings) * share, share }
}

/**
 * A finding whose loss is time of requests.
 * @param {Readings} readings
 * @param {number} seconds  of requests
 * @param {Omit<FindingParts, 'lostMs'>} parts
 */
function makeWaitFinding (readings, seconds, parts) {
  return makeFinding(readings, { ...lossOf(readings, seconds), next: [`npx loopscope waits ${readings.pid} --seconds 10`], ...parts })
}

/** @param {readonly CallReading[]} calls */
function secondsOf (calls) {
  return sum(calls, ({ seconds }) => seconds)
}

/**
 * @param {Readings} readings
 * @param {string[]} names  of calls
 * @returns {{ route: string, share: number, requests: number, having: number } | null} the route whose slow requests waited longest for them; share: of their duration
 */
function shareOfSlow (readings, names) {
  /** @type {Map<string, { route: string, ms: number, durationMs: number, requests: number, having: number }>} */
  const byRoute = new Map()
  for (const { route, durationMs, waits } of slowInTime(readings)) {
    const ms = sum(waits.filter(wait => names.includes(callName(wait))), wait => wait.ms)
    const found = byRoute.get(route) ?? { route, ms: 0, durationMs: 0, requests: 0, having: 0 }
    byRoute.set(route, { route, ms: found.ms + ms, durationMs: found.durationMs + durationMs, requests: found.requests + 1, having: found.having + (ms > 0 ? 1 : 0) })
  }
  const [most] = [...byRoute.values()].filter(({ ms }) => ms > 0).sort((left, right) => right.ms - left.ms)
  return most === undefined ? null : { route: most.route, share: most.ms / most.durationMs, requests: most.requests, having: most.having }
}

/** @param {{ route: string | null, line: WaitLine } | null} at @returns {Finding['where']} */
function placeOf (at) {
  if (at === null) return null
  const { route, line: { function: name, file, line, column } } = at
  return { function: name, file, line, column, via: null, route }
}

/** @param {Pick<RouteLine, 'route' | 'line' | 'share'>} at */
function describePlace ({ route, line, share }) {
  return `${route} waits ${percent(share)} of its time at ${placed(line)}.`
}

module.exports = { TIMERS, describePlace, linesOf, lossOf, makeWaitFinding, mayBeLongPoll, placeOf, requestSecondsOf, sampledRoutes, secondsOf, shareOfSlow }
