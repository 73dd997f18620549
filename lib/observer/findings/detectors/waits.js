'use strict'

// Detectors of what requests wait for before a call to another process begins: a name server, a connection that is opened for each call.

const { sum } = require('../../../base/sums')
const { callName, isPoolLookup, MIN_REQUESTS, mostWaitedLine, observedMsOf, slowRoutes } = require('../../../shared/findings/readings')
const { describePlace, linesOf, makeWaitFinding, placeOf, requestSecondsOf, secondsOf, shareOfSlow } = require('../waiting')
const { duration, percent, placed, rounded, sentences, times } = require('../../../shared/findings/format-text')

/** @import { WaitLine } from '../../../../types/waits' */
/** @import { Detector } from '../finding' */
/** @import { CallReading, Readings } from '../../../shared/findings/readings' */
/** @import { RouteLine } from '../waiting' */

const SLOW_DNS = Object.freeze({
  minLookups: 5,
  minMs: 20,
  // Of the time of a route's requests.
  minShare: 0.2,
  poolSize: 4
})
const AWAITED_DNS = new Set(['dns', 'node:dns', 'node:dns/promises'])

const NO_KEEP_ALIVE = Object.freeze({
  minConnects: 20,
  minPerSecond: 0.5,
  // Of the calls.
  minShare: 0.8,
  // Of the time of all requests: with less it is a hint, unless there are so many that ports and CPU time count. A handshake of TLS takes as long again, twice.
  minOfRequests: 0.02,
  manyPerSecond: 50
})

/** Names are looked up slowly, while requests wait. @type {Detector} */
const slowDns = {
  ids: ['slow-dns'],
  explains: [],
  find (readings) {
    const { calls = [], process } = readings
    const lookups = calls.filter(({ kind, operation, count, seconds }) => {
      return kind === 'dns' && operation === 'lookup' && count >= SLOW_DNS.minLookups && seconds * 1e3 / count >= SLOW_DNS.minMs
    }).sort((left, right) => right.seconds - left.seconds)
    const [at] = [...linesOf(readings, isDns), ...slowLookups(readings)].filter(one => lookupMsOf(one) >= SLOW_DNS.minMs && one.share >= SLOW_DNS.minShare)
    const waited = lookups.length === 0 ? null : waitedForDns(readings, lookups)
    if (at === undefined && (waited === null || waited.share < SLOW_DNS.minShare)) return []
    const route = at?.route ?? waited?.route ?? ''
    const place = at ?? mostWaitedLine(readings, route)
    const seconds = Math.max(secondsOf(lookups), at?.seconds ?? 0)
    const share = at?.share ?? waited?.share ?? 0
    const [slowest] = lookups
    const size = process?.poolSize ?? SLOW_DNS.poolSize
    // libuv gives lookups no more.
    const half = Math.ceil(size / 2)
    const threads = seconds * 1e3 / Math.max(1, observedMsOf(readings))
    // A lookup of the application's own, or dns.resolve(), needs no thread: seen is which one is under way now.
    const holdsThreads = Object.keys(process?.waitsFor ?? {}).some(isPoolLookup)
    const name = slowest === undefined ? 'a name' : slowest.target
    const meanMs = slowest === undefined ? at === undefined ? 0 : lookupMsOf(at) : slowest.seconds * 1e3 / slowest.count
    return [makeWaitFinding(readings, seconds, {
      id: 'slow-dns',
      title: `DNS is slow: looking up ${name} takes ${duration(meanMs)}, ${percent(share)} of the time of ${route}.`,
      what: sentences(
        slowest && `${times(slowest.count, 'lookup')}, p99 ${duration(slowest.p99Ms)}.`,
        holdsThreads && `dns.lookup(), which connections use, holds a thread of libuv's pool until the name server has answered: ${threads >= half ? `the ${half} of ${size} that lookups may have, and further lookups queue` : `${rounded(threads)} of ${size} on average`}.`,
        place && `Requests wait at ${placed(place.line)}.`
      ),
      where: placeOf(place === null ? null : { route, line: place.line }),
      why: `nothing caches the answers: each ${slowest === undefined ? 'call' : 'new connection'} asks the name server again${holdsThreads ? ', and files, crypto and zlib wait for the same threads' : ''}`,
      instead: 'keep connections open, so that fewer names are looked up; cache the answers (in the application where it looks up names itself, or in the option lookup; or by a local resolver such as nscd, systemd-resolved or dnsmasq); ' +
        'check the name server, and search domains and ndots in resolv.conf, which multiply the queries',
      evidence: { route, name, meanMs: rounded(meanMs), lookups: sum(lookups, ({ count }) => count), share: rounded(share, 3), ...(holdsThreads && { threads: rounded(Math.min(half, threads), 2), poolSize: size }) },
      confidence: at === undefined ? 'medium' : 'high'
    })]
  }
}

/** A request may look up several names there. @param {RouteLine} at */
function lookupMsOf ({ meanMs, line: { waits, requests } }) {
  return meanMs * requests / Math.max(waits, requests)
}

/** @param {WaitLine} line */
function isDns ({ awaited }) {
  return awaited !== null && AWAITED_DNS.has(awaited)
}

/**
 * Where the name server does not answer, lookups queue and few requests end: then a single sampled one shows enough.
 * @param {Readings} readings
 * @returns {RouteLine[]}
 */
function slowLookups (readings) {
  const { waitsFor = {}, poolSize = SLOW_DNS.poolSize } = readings.process ?? {}
  const underWay = Object.entries(waitsFor).reduce((sum, [kind, count]) => isPoolLookup(kind) ? sum + count : sum, 0)
  if (underWay <= poolSize) return []
  return slowRoutes(readings).flatMap(({ route, count, meanMs }) => {
    const most = mostWaitedLine(readings, route)
    if (most === null || !isDns(most.line)) return []
    const { line, share } = most
    const perSecond = count * 1e3 / observedMsOf(readings)
    return [{ route, line, share, meanMs: meanMs * share, perSecond, waitingPerSecond: perSecond, seconds: count * meanMs * share / 1e3 }]
  })
}

/**
 * @param {Readings} readings
 * @param {CallReading[]} lookups
 * @returns {{ route: string, share: number } | null}
 */
function waitedForDns (readings, lookups) {
  const waited = shareOfSlow(readings, lookups.map(({ target }) => `dns lookup ${target}`))
  const calls = (readings.calls ?? []).filter(({ kind, target }) => kind !== 'dns' && lookups.some(({ target: name }) => target.startsWith(`${name}:`)))
  const calling = shareOfSlow(readings, calls.map(callName))
  const route = waited?.route ?? calling?.route
  // A connection may be opened for one request, and be waited for by another.
  const routeSeconds = readings.pace.routes.find(one => one.route === route)?.seconds ?? 0
  if (route === undefined || routeSeconds === 0) return null
  return { route, share: Math.min(1, secondsOf(lookups) / routeSeconds) }
}

/** A new connection for each call, although the one before could have been used again. @type {Detector} */
const noKeepAlive = {
  ids: ['no-keep-alive'],
  explains: [],
  find (readings, found) {
    const { calls = [] } = readings
    if (found.some(({ id }) => id === 'socket-connects')) return []
    const observedSeconds = observedMsOf(readings) / 1e3
    return calls.filter(({ kind, operation }) => kind === 'net' && operation === 'connect').flatMap(({ target, count, errors, seconds }) => {
      const connects = count - errors
      if (connects < NO_KEEP_ALIVE.minConnects || connects < observedSeconds * NO_KEEP_ALIVE.minPerSecond) return []
      const users = calls.filter(call => call.target === target && !['net', 'dns'].includes(call.kind) && !['connect', 'acquire'].includes(call.operation))
      const used = sum(users, call => call.count)
      const slow = shareOfSlow(readings, [`net connect ${target}`, ...users.map(callName)])
      const byRequest = used > 0 || slow === null ? null : unreportedOf(readings, slow)
      const all = used || byRequest || 0
      if (all < NO_KEEP_ALIVE.minConnects || connects < all * NO_KEEP_ALIVE.minShare) return []
      const lookups = secondsOf(calls.filter(({ kind, target: name }) => kind === 'dns' && target.startsWith(`${name}:`)))
      const waited = slow === null ? null : mostWaitedLine(readings, slow.route)
      const at = slow === null || waited === null ? null : { route: slow.route, line: waited.line, share: waited.line.share }
      const what = users.length === 0 ? 'request' : `${users[0].kind} call`
      const isCheap = seconds + lookups < requestSecondsOf(readings) * NO_KEEP_ALIVE.minOfRequests && connects < observedSeconds * NO_KEEP_ALIVE.manyPerSecond
      return [makeWaitFinding(readings, seconds + lookups, {
        id: 'no-keep-alive',
        severity: isCheap ? 'info' : 'warning',
        title: `Connections to ${target} are not kept alive: each ${what} opens a new one (${times(connects, 'connection')} for ${times(all, what)}).`,
        what: sentences(`Opening one takes ${duration((seconds + lookups) * 1e3 / connects)} on average, and with TLS its handshake on top.`, at && describePlace(at)),
        where: placeOf(at),
        why: 'a new connection costs a DNS lookup, a round trip, with TLS two more and some milliseconds of CPU, and a port that stays occupied for a minute',
        instead: users.length > 0 && users[0].kind === 'http'
          ? 'use one agent for all calls: new http.Agent({ keepAlive: true }), or the global one, or fetch(), which keeps connections; do not send connection: close; read each response to its end; check the timeout of the other side'
          : 'open the client once, or use a pool, instead of connecting for each call',
        evidence: { target, connections: connects, calls: all, connectMs: rounded(seconds * 1e3 / count), route: slow?.route ?? null }
      })]
    })
  }
}

/**
 * Calls that no library reports: nearly all slow requests of a route opened a connection.
 * @param {Readings} readings
 * @param {{ route: string, requests: number, having: number }} slow
 * @returns {number | null} requests of the route
 */
function unreportedOf ({ pace }, { route, requests, having }) {
  if (requests < MIN_REQUESTS || having < requests * NO_KEEP_ALIVE.minShare) return null
  return pace.routes.find(one => one.route === route)?.count ?? null
}

module.exports = { noKeepAlive, slowDns }
