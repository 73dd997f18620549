'use strict'

// Detectors of what requests wait for at a connection: a pool that is too small, a command that holds the only one.

const { sum } = require('../../../base/sums')
const { callName, MIN_REQUESTS, mostWaitedLine, observedMsOf, utilizationOf } = require('../../../shared/findings/readings')
const { describePlace, linesOf, makeWaitFinding, placeOf, requestSecondsOf, secondsOf, shareOfSlow } = require('../waiting')
const { isInPackage } = require('../../../formats/profile/frame')
const { isDatabase } = require('../../waits/await-stacks')
const { duration, placed, rounded, sentences, times } = require('../../../shared/findings/format-text')

/** @import { WaitLine } from '../../../../types/waits' */
/** @import { Detector } from '../finding' */
/** @import { CallReading, Readings } from '../../../shared/findings/readings' */
/** @import { RouteLine } from '../waiting' */

const SMALL_POOL = Object.freeze({
  // Of the time that requests spend with the pool.
  minShare: 0.3,
  // Of the time of all requests.
  minOfRequests: 0.05,
  minMs: 5,
  // With less it is not known: it is used at other lines.
  minUseMs: 0.5,
  minAcquired: 20,
  // Of the connections, on average.
  minInUse: 0.7,
  // Of the requests that wait.
  minCalled: 0.8,
  // Of the time at a line.
  maxShared: 0.1,
  // A busy loop gives connections back late.
  maxUtilization: 0.8
})

const BLOCKED_CONNECTION = Object.freeze({ minCalls: 5, minMs: 20, minOfBlocking: 0.2 })
// Redis answers them once there is something, or their time is over.
const BLOCKING = new Set(['BLMOVE', 'BLMPOP', 'BLPOP', 'BRPOP', 'BRPOPLPUSH', 'BZMPOP', 'BZPOPMAX', 'BZPOPMIN', 'WAIT', 'WAITAOF', 'XREAD', 'XREADGROUP'])

// MongoDB's driver watches each server by one connection, and measures round trips by another, where the server streams what it watches (since 4.4).
const MONITORS = 2

/**
 * Clients whose connections do one thing at a time, with the port that their servers have by default and the option for the size of the pool. isPool: it is
 * no single connection. others: connections beside the pool, at least; of each further server there are as many.
 * @type {Record<string, { port: number, option: string, isPool?: boolean, kind?: string, others?: number }>}
 */
const CLIENTS = {
  pg: { port: 5432, option: 'max' },
  'pg-pool': { port: 5432, option: 'max', isPool: true },
  'pg-promise': { port: 5432, option: 'max', isPool: true },
  postgres: { port: 5432, option: 'max', isPool: true },
  slonik: { port: 5432, option: 'maximumPoolSize', isPool: true },
  mysql: { port: 3306, option: 'connectionLimit' },
  mysql2: { port: 3306, option: 'connectionLimit', kind: 'mysql' },
  mariadb: { port: 3306, option: 'connectionLimit' },
  mongodb: { port: 27017, option: 'maxPoolSize', isPool: true, others: MONITORS },
  mongoose: { port: 27017, option: 'maxPoolSize', isPool: true, others: MONITORS },
  mssql: { port: 1433, option: 'pool.max', kind: 'mssql' },
  redis: { port: 6379, option: 'clientPoolSize', kind: 'redis' },
  '@redis/client': { port: 6379, option: 'clientPoolSize', kind: 'redis' }
}
const ADVICE_ON_HTTP = 'raise maxSockets of the http.Agent (of undici: connections, and a Pool or Agent instead of a Client) as far as the other side allows for all processes together; ' +
  'read each response to its end, so that its connection is free again; make fewer calls'
// Many commands at once on one connection.
const PIPELINED = new Set(['redis', '@redis/client'])

/**
 * @typedef {object} Pool
 * @property {string} name       of the package or the target
 * @property {string} instead    the advice
 * @property {RouteLine | null} at  where most requests wait for it
 * @property {number} acquireMs  time to get a connection
 * @property {number} useMs      time with it
 * @property {number} seconds    of requests that waited for a connection
 * @property {number} inLine     requests that wait for a connection, on average
 * @property {number | null} size  connections; null: not known
 * @property {boolean} [isAtMost]  not all of these connections may belong to the pool
 * @property {boolean} [areInUse]  only what had to wait for one in use is reported
 */

/** Requests wait for a connection longer than the database works: all connections are in use. @type {Detector} */
const smallPool = {
  ids: ['small-pool'],
  explains: [],
  find (readings) {
    if (observedMsOf(readings) === 0 || utilizationOf(readings) > SMALL_POOL.maxUtilization) return []
    const pools = [...acquiredPools(readings), ...packagedPools(readings), ...fullPools(readings), ...unsentPools(readings)]
    const notable = pools.filter(({ acquireMs, useMs, seconds, inLine, size, areInUse = false }) => {
      // With a connection for each, they waited for the first ones to be opened.
      const isFull = areInUse || size === null || inLine * (acquireMs + useMs) / acquireMs > size
      return isFull && acquireMs >= SMALL_POOL.minMs && acquireMs >= (acquireMs + useMs) * SMALL_POOL.minShare && seconds >= requestSecondsOf(readings) * SMALL_POOL.minOfRequests
    })
    return notable.map(({ name, instead, at, acquireMs, useMs, seconds, inLine, size, isAtMost = false }) => makeWaitFinding(readings, seconds, {
      id: 'small-pool',
      title: `The connection pool of ${name} is too small: getting a connection takes ${duration(acquireMs)}, ${isAtMost ? 'all its connections are in use, ' : inUse(size)}` +
        `and ${rounded(inLine)} requests wait for one.`,
      what: sentences(useMs >= SMALL_POOL.minUseMs && `A request has a connection for ${duration(useMs)} after it waited ${duration(acquireMs)} for it, on average.`, at && describePlace(at)),
      where: placeOf(at),
      why: 'a connection does one thing at a time: further requests stand in line until one is given back, however fast the other side is',
      instead,
      evidence: { pool: name, acquireMs: rounded(acquireMs), useMs: rounded(useMs), inLine: rounded(inLine), connections: isAtMost ? null : size, route: at?.route ?? null }
    }))
  }
}

/** @param {string} option  for the size of the pool */
function adviceOnPool (option) {
  return `give connections back sooner (no other await while one is held, shorter transactions, faster queries), or raise the size of the pool (option ${option})` +
    ' as far as the other side allows for all processes together'
}

/** @param {number | null} size */
function inUse (size) {
  if (size === null) return ''
  if (size === 1) return 'its only connection is in use, '
  return size === 2 ? 'both connections are in use, ' : `all ${size} connections are in use, `
}

/**
 * Libraries that report how long a connection took.
 * @param {Readings} readings
 * @returns {Pool[]}
 */
function acquiredPools (readings) {
  const { calls = [], connections = {} } = readings
  return calls.filter(({ operation, count }) => operation === 'acquire' && count >= SMALL_POOL.minAcquired).map(({ kind, target, count, seconds: all }) => {
    const ofTarget = calls.filter(call => call.target === target && call.kind === kind)
    const used = ofTarget.filter(({ operation }) => operation !== 'acquire' && operation !== 'connect')
    // The time to open the first connections is not a wait for one in use.
    const seconds = Math.max(0, all - secondsOf(ofTarget.filter(({ operation }) => operation === 'connect')))
    // Of HTTP only calls that had to wait acquire a connection.
    const isHttp = kind === 'http'
    const times = isHttp ? Math.max(count, sum(used, call => call.count)) : count
    return {
      ...isHttp ? ofHttp(readings, target) : ofClient(readings, kind, target),
      acquireMs: seconds * 1e3 / times,
      useMs: secondsOf(used) * 1e3 / times,
      seconds,
      inLine: seconds * 1e3 / observedMsOf(readings),
      size: connections[portOf(target)] ?? null,
      areInUse: isHttp
    }
  })
}

/**
 * @param {Readings} readings
 * @param {string} kind
 * @param {string} target
 * @returns {Pick<Pool, 'name' | 'instead' | 'at'>}
 */
function ofClient (readings, kind, target) {
  const of = (/** @type {(name: string | null) => boolean} */ isMeant) => linesOf(readings, ({ awaited, via, file }) => !isInPackage(file) && [awaited, via].some(isMeant))
  const route = shareOfSlow(readings, [`${kind} acquire ${target}`])?.route
  // Where the application awaits what is built on the client, that has the line.
  const at = of(name => name !== null && CLIENTS[name]?.kind === kind)[0] ?? of(isDatabase).find(line => line.route === route) ?? null
  return { name: `${kind} ${target}`, instead: adviceOnPool(Object.values(CLIENTS).find(client => client.kind === kind)?.option ?? 'max'), at }
}

/**
 * @param {Readings} readings
 * @param {string} target
 * @returns {Pick<Pool, 'name' | 'instead' | 'at'>}
 */
function ofHttp (readings, target) {
  const route = shareOfSlow(readings, [`http acquire ${target}`])?.route
  return { name: `the HTTP client for ${target}`, instead: ADVICE_ON_HTTP, at: linesOf(readings, () => true).find(at => at.route === route) ?? null }
}

/**
 * Pools of packages that do nothing else (tarn, of knex), seen by what is awaited.
 * @param {Readings} readings
 * @returns {Pool[]}
 */
function packagedPools (readings) {
  const lines = linesOf(readings, line => line.poolMs > 0 && isForOne(line))
  if (sampledAt(lines) < MIN_REQUESTS) return []
  const [at] = lines
  const inLine = sum(lines, ({ perSecond, meanMs, line }) => perSecond * meanMs / 1e3 * line.poolMs / (line.ms + line.queuedMs))
  const name = at.line.via ?? at.line.awaited ?? 'tarn'
  return [{
    name,
    instead: adviceOnPool(name === 'generic-pool' ? 'max' : 'pool.max'),
    at,
    ...timesOf(readings, lines, inLine),
    size: connectionsOf(readings, null)
  }]
}

/**
 * Clients whose calls are seen as they are awaited, with the time for a connection in it: as many requests as there are connections are served at a
 * time, and the others wait (Little's law).
 * @param {Readings} readings
 * @returns {Pool[]}
 */
function fullPools (readings) {
  const isReported = (/** @type {string} */ name) => readings.calls?.some(({ kind }) => kind === CLIENTS[name].kind) === true
  const isPooled = (/** @type {WaitLine} */ { awaited, poolMs }) => poolMs === 0 && awaited !== null && CLIENTS[awaited] !== undefined && !PIPELINED.has(awaited) && !isReported(awaited)
  const lines = linesOf(readings, line => isPooled(line) && isForOne(line))
  if (sampledAt(lines) < MIN_REQUESTS) return []
  const name = /** @type {string} */ (lines[0].line.awaited)
  const ofPort = lines.filter(({ line }) => CLIENTS[/** @type {string} */ (line.awaited)].port === CLIENTS[name].port)
  const open = connectionsOf(readings, CLIENTS[name].port)
  if (open === null) return []
  const size = Math.max(1, open - (CLIENTS[name].others ?? 0))
  const inLine = Math.max(0, atOnceOf(ofPort) - size)
  // A line that gets a connection stands before those that use it.
  const at = ofPort.find(({ line }) => line.awaited === 'pg-pool') ?? ofPort[0]
  return [{
    name: at.line.via ?? at.line.awaited ?? name,
    instead: `${size === 1 && CLIENTS[/** @type {string} */ (at.line.awaited)].isPool !== true ? 'use a pool, where it is one client for all requests; ' : ''}${adviceOnPool(CLIENTS[name].option)}`,
    at,
    ...timesOf(readings, ofPort, inLine),
    size,
    isAtMost: CLIENTS[name].others !== undefined
  }]
}

/**
 * A pool of undici, also of fetch(): a call begins once it has a connection, and those that are awaited without one stand in line.
 * @param {Readings} readings
 * @returns {Pool[]}
 */
function unsentPools (readings) {
  const { calls = [], connections = {} } = readings
  const all = calls.filter(({ kind }) => kind === 'http')
  const targets = new Set(all.map(({ target }) => target))
  const lines = linesOf(readings, line => [line.awaited, line.via].some(name => name === 'undici' || name === 'fetch') && isForOne(line))
  if (targets.size !== 1 || sampledAt(lines) < MIN_REQUESTS || all.some(({ operation }) => operation === 'acquire')) return []
  const [target] = targets
  const size = connections[portOf(target)] ?? null
  const sent = secondsOf(all) * 1e3 / observedMsOf(readings)
  // Where connections are free, they wait for something else, as between attempts.
  if (size === null || sent < size * SMALL_POOL.minInUse) return []
  // With fewer calls than requests, these wait for what another one has called.
  const perSecond = sum(all, ({ count }) => count) * 1e3 / observedMsOf(readings)
  if (perSecond < Math.max(...lines.map(line => line.waitingPerSecond)) * SMALL_POOL.minCalled) return []
  const inLine = Math.max(0, atOnceOf(lines) - sent)
  return [{
    name: `${lines[0].line.via ?? lines[0].line.awaited} to ${target}`,
    instead: ADVICE_ON_HTTP,
    at: lines[0],
    ...timesOf(readings, lines, inLine),
    size
  }]
}

/**
 * Where requests share what they wait for, as many of them as you like wait for one connection.
 * @param {WaitLine} line
 */
function isForOne ({ sharedMs, ms, queuedMs }) {
  return sharedMs <= (ms + queuedMs) * SMALL_POOL.maxShared
}

/**
 * @param {RouteLine[]} lines
 * @returns {number} sampled requests that waited there: of few it cannot be said how many of all requests do
 */
function sampledAt (lines) {
  return sum(lines, ({ line }) => line.requests)
}

/**
 * By Little's law.
 * @param {Readings} readings
 * @param {RouteLine[]} lines  at which requests wait for a connection, or for what it does
 * @param {number} inLine  requests without a connection, on average
 * @returns {Pick<Pool, 'acquireMs' | 'useMs' | 'seconds' | 'inLine'>}
 */
function timesOf (readings, lines, inLine) {
  const requests = requestsOf(lines)
  return { acquireMs: inLine * 1e3 / requests, useMs: Math.max(0, atOnceOf(lines) - inLine) * 1e3 / requests, seconds: inLine * observedMsOf(readings) / 1e3, inLine }
}

/** @param {RouteLine[]} lines @returns {number} requests that wait there, on average */
function atOnceOf (lines) {
  return sum(lines, ({ perSecond, meanMs }) => perSecond * meanMs / 1e3)
}

/** @param {RouteLine[]} lines @returns {number} per second, of their routes */
function requestsOf (lines) {
  return sum([...new Map(lines.map(({ route, perSecond }) => [route, perSecond])).values()], perSecond => perSecond)
}

/**
 * @param {Readings} readings
 * @param {number | null} port  that the server has by default
 * @returns {number | null} connections to what no library reports; null: not known, or to several
 */
function connectionsOf ({ connections = {}, calls = [] }, port) {
  const reported = new Set(calls.filter(({ kind }) => kind !== 'net' && kind !== 'dns').map(({ target }) => portOf(target)))
  const others = Object.entries(connections).filter(([other]) => !reported.has(other))
  if (others.length === 1) return others[0][1]
  return port === null ? null : connections[port] ?? null
}

/** @param {string} target */
function portOf (target) {
  return target.slice(target.lastIndexOf(':') + 1)
}

/** Commands stand in line behind one that waits for something itself, on the only connection. @type {Detector} */
const blockedConnection = {
  ids: ['small-pool'],
  explains: ['slow-elsewhere'],
  find (readings) {
    const { calls = [], connections = {} } = readings
    const commands = calls.filter(({ kind, operation }) => kind === 'redis' && !['connect', 'acquire'].includes(operation))
    const targets = [...new Set(commands.filter(({ operation }) => BLOCKING.has(operation)).map(({ target }) => target))]
    return targets.filter(target => connections[portOf(target)] === 1).flatMap(target => {
      const ofTarget = commands.filter(call => call.target === target)
      const [blocking, others] = [true, false].map(isBlocking => ofTarget.filter(({ operation }) => BLOCKING.has(operation) === isBlocking).sort((left, right) => right.seconds - left.seconds))
      const [blockingMs, othersMs] = [meanMsOf(blocking), meanMsOf(others)]
      const { minCalls, minMs, minOfBlocking } = BLOCKED_CONNECTION
      if (sum(others, ({ count }) => count) < minCalls || othersMs < Math.max(minMs, blockingMs * minOfBlocking)) return []
      const [at, behind] = [blocking, others].map(some => {
        const route = shareOfSlow(readings, some.map(callName))?.route
        const found = route === undefined ? null : mostWaitedLine(readings, route)
        return route === undefined || found === null ? null : { route, ...found }
      })
      return [makeWaitFinding(readings, secondsOf(others), {
        id: 'small-pool',
        title: `${blocking[0].operation} holds the only connection to redis ${target}: other commands take ${duration(othersMs)}, because they wait behind it.`,
        what: sentences(
          `${times(blocking[0].count, `${blocking[0].operation} call`)} of ${duration(blockingMs)}, ${times(others[0].count, `${others[0].operation} call`)} of ${duration(meanMsOf(others.slice(0, 1)))}.`,
          at && `${blocking[0].operation} is called at ${placed(at.line)}.`,
          behind && describePlace(behind)
        ),
        where: placeOf(at),
        why: 'Redis answers the commands of a connection one after the other: behind one that waits for an entry, all others wait as long',
        instead: 'give each consumer that makes blocking commands a connection of its own (duplicate() of the client), and use the shared one for everything else',
        evidence: { target, command: blocking[0].operation, blockingMs: rounded(blockingMs), othersMs: rounded(othersMs), connections: 1, route: at?.route ?? null }
      })]
    })
  }
}

/** @param {readonly CallReading[]} calls */
function meanMsOf (calls) {
  return secondsOf(calls) * 1e3 / Math.max(1, sum(calls, ({ count }) => count))
}

module.exports = { blockedConnection, smallPool }
