'use strict'

// Adds up where the sampled requests of a route waited: by line, with what they have in common there. Some of it shows only in several requests: that they
// wait for each other. Pure.

const { groupBy, sum, sumToTenths } = require('../../base/sums')
const { toMs } = require('../slow-requests/timeline')
const { isDatabase, queueOf } = require('./await-stacks')

/** @import { RouteWaits, SerialWaits, WaitLine } from '../../../types/waits' */
/** @import { Kept, Line } from './wait-profile' */

const MAX_LINES = 50
const MAX_SERIAL = 5
// The first of a crowd waited for nobody.
const MIN_CHAINED = 3
const CHAINED_SHARE = 0.5
const SHARED_SHARE = 0.2
const LOCK = Object.freeze({
  minMicros: 5000,
  // The database answers what it lets go on right after the end of the transaction that held the lock; both may be read in one turn of the loop.
  beforeMicros: 2000,
  afterMicros: 1000,
  minTogether: 4,
  // Of many requests not all are sampled, and so the one before is not always among them.
  minShare: 0.4,
  // As many as would end together by chance.
  minTimes: 3,
  // What waits for a lock takes so much longer than the quickest. Requests in step with each other all take as long.
  timesQuickest: 3
})

/** @typedef {Line & { startMicros: number }} LineOf  of the request that began then */
/**
 * @typedef {{ startMicros: number, endMicros: number, key: string }} LastQuery  of a request, at this line
 * @typedef {{ lastQueries: LastQuery[], byLine: LastQuery[][] }} Ends  lastQueries: of all requests; byLine: the last one at each line of the route
 */

/**
 * @param {{ route: string, samples: Kept[] }[]} routes
 * @returns {RouteWaits[]} most time first
 */
function sumRoutes (routes) {
  const lastQueries = lastQueriesOf(routes.flatMap(({ samples }) => samples))
  return routes.map(({ route, samples }) => sumRoute(route, samples, lastQueries)).sort((left, right) => right.totalMs - left.totalMs)
}

/** @param {string} route @param {Kept[]} samples @param {LastQuery[]} lastQueries  of all requests @returns {RouteWaits} */
function sumRoute (route, samples, lastQueries) {
  const totalMs = sumToTenths(samples, ({ startMicros, toMicros }) => toMs(toMicros - startMicros))
  const waitingMs = sumToTenths(samples, sample => sample.waitingMs)
  const starts = new Set(samples.map(({ startMicros }) => startMicros))
  const ofRequests = samples.flatMap(({ lines, startMicros }) => lines.map(line => ({ ...line, startMicros })))
  const ends = { lastQueries, byLine: [...groupBy(samples.flatMap(queriesOf), ({ key }) => key).values()] }
  const lines = [...groupBy(ofRequests, ({ key }) => key).values()].map(group => sumLine(group, totalMs, starts, ends)).sort((left, right) => totalOf(right) - totalOf(left))
  return {
    route,
    requests: samples.length,
    open: samples.filter(({ isOpen }) => isOpen).length,
    truncated: samples.filter(({ isTruncated }) => isTruncated).length,
    totalMs,
    waitingMs,
    unseenMs: Math.max(0, rounded(waitingMs - sumToTenths(lines, totalOf))),
    clientMs: Math.min(waitingMs, sumToTenths(samples, sample => sample.clientMs)),
    uploadMs: Math.min(waitingMs, sumToTenths(samples, sample => sample.uploadMs)),
    lines: lines.slice(0, MAX_LINES),
    serial: [...groupBy(samples.flatMap(sample => sample.serial), ({ key }) => key).values()].map(sumSerial).sort((left, right) => right.ms - left.ms).slice(0, MAX_SERIAL)
  }
}

/**
 * @param {LineOf[]} group  one line's, of each request
 * @param {number} totalMs
 * @param {ReadonlySet<number>} starts  of all sampled requests of the route
 * @param {Ends} ends
 * @returns {WaitLine}
 */
function sumLine (group, totalMs, starts, ends) {
  const { function: name, file, line, column } = group[0]
  const deepest = group.reduce((most, other) => other.callers.length > most.callers.length ? other : most)
  const named = mostAwaited(group)
  const chained = chainedShare(group, starts)
  const isForLock = isLocked(group, ends.lastQueries, 1) || ends.byLine.some(queries => isLocked(group, queries, LOCK.timesQuickest))
  const each = group.map(({ ms }) => ms).sort((left, right) => left - right)
  const ms = sumToTenths(group, one => one.ms)
  return {
    function: name,
    file,
    line,
    column,
    awaited: named.awaited,
    via: named.via,
    resumedBy: chained < SHARED_SHARE ? null : named.resumedBy,
    calledAt: group.find(({ calledAt, awaited }) => calledAt !== null && awaited === named.awaited)?.calledAt ?? null,
    longest: longestOf(group),
    together: rounded(sum(group, one => one.together) / group.length),
    callers: deepest.callers,
    requests: group.length,
    open: group.filter(({ isOpen }) => isOpen).length,
    waits: sum(group, ({ waits }) => waits),
    ms,
    queuedMs: sumToTenths(group, one => one.queuedMs),
    poolMs: sumToTenths(group, one => one.poolMs),
    turnMs: sumToTenths(group, one => isForLock ? totalOf(one) : one.turnMs + (named.resumedBy === null && chained >= CHAINED_SHARE ? one.behindMs : 0)),
    sharedMs: sumToTenths(group, one => one.sharedMs),
    share: totalMs === 0 ? 0 : Math.round(ms / totalMs * 1e4) / 1e4,
    p50Ms: each[Math.ceil(each.length * 0.5) - 1],
    p99Ms: each[Math.ceil(each.length * 0.99) - 1],
    maxMs: each[each.length - 1]
  }
}

/**
 * Where requests go on one after the other, most wait for others, and those that they waited for had waited here as well. One that only loads
 * something for all of them had not.
 * @param {LineOf[]} group
 * @param {ReadonlySet<number>} starts
 * @returns {number} the share of those that had; NaN: too few were seen
 */
function chainedShare (group, starts) {
  const behind = group.filter(({ behindMs }) => behindMs > 0)
  const waiting = new Set(behind.map(({ startMicros }) => startMicros))
  const seen = behind.flatMap(one => one.behind).filter(startMicros => starts.has(startMicros))
  if (seen.length >= MIN_CHAINED) return seen.filter(startMicros => waiting.has(startMicros)).length / seen.length
  return behind.length > 0 && behind.length < group.length * CHAINED_SHARE ? 0 : NaN
}

/**
 * A lock of the database: a query goes on at the moment at which the last query of another request ends, which is the end of its transaction; or one at a
 * certain line of its, after which it makes further ones.
 * @param {LineOf[]} group
 * @param {LastQuery[]} queries
 * @param {number} timesQuickest  so much longer than the quickest a wait has to be
 */
function isLocked (group, queries, timesQuickest) {
  const closed = group.filter(line => !line.isOpen && isOfTransaction(line))
  const quickestMicros = closed.flatMap(({ spans }) => spansOf(spans)).reduce((least, [fromMicros, toMicros]) => Math.min(least, toMicros - fromMicros), Infinity)
  let [waits, together, byChance] = [0, 0, 0]
  for (const { key, startMicros, spans } of closed) {
    const endedIn = (/** @type {LastQuery[]} */ some, /** @type {number} */ fromMicros, /** @type {number} */ toMicros) => {
      return some.filter(one => one.endMicros > fromMicros && one.endMicros <= toMicros + LOCK.afterMicros && one.startMicros !== startMicros && one.key !== key)
    }
    const meanwhile = endedIn(queries, spans[0], spans[spans.length - 1])
    for (const [fromMicros, toMicros] of spansOf(spans)) {
      const isLong = toMicros - fromMicros >= Math.max(LOCK.minMicros, quickestMicros * timesQuickest)
      const ended = isLong ? endedIn(meanwhile, fromMicros, toMicros) : []
      if (ended.length === 0) continue
      waits++
      if (ended.some(({ endMicros }) => endMicros >= toMicros - LOCK.beforeMicros)) together++
      byChance += Math.min(1, ended.length * (LOCK.beforeMicros + LOCK.afterMicros) / (toMicros - fromMicros))
    }
  }
  return together >= Math.max(LOCK.minTogether, waits * LOCK.minShare, byChance * LOCK.minTimes)
}

/** @param {number[]} spans @returns {[fromMicros: number, toMicros: number][]} */
function spansOf (spans) {
  return Array.from({ length: spans.length / 2 }, (_, index) => [spans[2 * index], spans[2 * index + 1]])
}

/** @param {Kept} sample @returns {LastQuery[]} the last query at each of its lines; none where it makes no further ones */
function queriesOf ({ startMicros, lines }) {
  const ends = lines.filter(isOfTransaction).map(({ key, spans }) => ({ startMicros, endMicros: spans[spans.length - 1], key }))
  return ends.length < 2 ? [] : ends
}

/** @param {Kept[]} samples @returns {LastQuery[]} */
function lastQueriesOf (samples) {
  return samples.flatMap(sample => {
    const ends = queriesOf(sample)
    return ends.length === 0 ? [] : ends.reduce((last, other) => other.endMicros > last.endMicros ? other : last)
  })
}

/** Of a pool or a queue it is not known what of it is the wait for a connection, or for its turn. @param {Line} line */
function isOfTransaction ({ awaited, via, poolMs }) {
  return poolMs === 0 && awaited !== 'pg-pool' && queueOf({ awaited, via }) === null && [awaited, via].some(isDatabase)
}

/**
 * @param {Line[]} group
 * @returns {Pick<Line, 'awaited' | 'via' | 'resumedBy'>} what most requests awaited, of those in which it is known
 */
function mostAwaited (group) {
  const named = group.filter(({ awaited, resumedBy }) => awaited !== null || resumedBy !== null)
  const [most = group] = [...groupBy(named, ({ awaited, via }) => `${awaited} ${via}`).values()].sort((left, right) => right.length - left.length)
  return most[0]
}

/** @param {Line[]} group @returns {Line['longest']} that of most requests */
function longestOf (group) {
  const [most = []] = [...groupBy(group.map(({ longest }) => longest), longest => longest && `${longest.file} ${longest.line}`).values()].sort((left, right) => right.length - left.length)
  return most[0] ?? null
}

/** @param {Kept['serial']} group @returns {SerialWaits} */
function sumSerial (group) {
  const { key, count, ...place } = group[0]
  const counts = group.map(one => one.count)
  return {
    ...place,
    awaits: rounded(sum(counts) / counts.length),
    maxAwaits: Math.max(...counts),
    requests: group.length,
    ms: sumToTenths(group, one => one.ms)
  }
}

/** @param {{ ms: number, queuedMs: number }} line */
function totalOf ({ ms, queuedMs }) {
  return ms + queuedMs
}

/** @param {number} ms */
function rounded (ms) {
  return Math.round(ms * 10) / 10
}

module.exports = { MAX_LINES, rounded, sumRoutes, totalOf }
