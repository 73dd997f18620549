'use strict'

// Detectors of what requests wait for in the application itself: timers and retries, locks and queues, awaits that follow each other.

const { sum } = require('../../../base/sums')
const { callName, MIN_REQUESTS, observedMsOf, slowCallsOf, slowRoutes } = require('../../../shared/findings/readings')
const { isDatabase, queueOf } = require('../../waits/await-stacks')
const { TIMERS, linesOf, makeWaitFinding, mayBeLongPoll, placeOf, sampledRoutes } = require('../waiting')
const { duration, percent, placed, rounded, times } = require('../../../shared/findings/format-text')

/** @import { Finding } from '../../../../types/findings' */
/** @import { WaitLine, WaitPlace } from '../../../../types/waits' */
/** @import { Detector } from '../finding' */
/** @import { Readings } from '../../../shared/findings/readings' */
/** @import { RouteLine } from '../waiting' */

// Between attempts less is too much: the attempts themselves take the rest.
const TIMER_WAIT = Object.freeze({ minShare: 0.5, minRetryShare: 0.3, minMs: 50 })
// Packages that make a failed call again by themselves, or can be told to, after a pause; with a dispatcher of undici fetch() does it too.
const RETRYING = /^(?:@(?:aws-sdk|azure|google-cloud|grpc|octokit|smithy)\/.+|async-retry|axios|axios-retry|cockatiel|fetch|fetch-retry|gaxios|got|ioredis|kafkajs|ky|make-fetch-happen|ofetch|p-retry|promise-retry|retry|retry-axios|superagent|ts-retry|undici)$/

/**
 * A timer is most of a request: a pause that was meant for something else, polling, or the pauses between attempts.
 * @type {Detector}
 */
const timerWait = {
  ids: ['timer-wait'],
  explains: [],
  find (readings) {
    const timers = linesOf(readings, ({ awaited }) => awaited !== null && TIMERS.has(awaited))
    const retrying = linesOf(readings, ({ awaited, via }) => [awaited, via].some(name => name !== null && RETRYING.test(name))).flatMap(at => pausesOnly(readings, at))
    const lines = [...timers, ...retrying].filter(({ share, meanMs }) => share >= TIMER_WAIT.minRetryShare && meanMs >= TIMER_WAIT.minMs)
    return lines.flatMap(at => {
      const { route, line, seconds, meanMs, share } = at
      const waits = line.waits / line.requests
      const failed = failedCallsOf(readings, at)
      const isRetry = failed !== null
      if (!isRetry && share < TIMER_WAIT.minShare) return []
      const isPoll = !isRetry && mayBeLongPoll(line)
      return makeWaitFinding(readings, seconds, {
        id: 'timer-wait',
        severity: isPoll ? 'info' : 'warning',
        title: isRetry
          ? `${route} spends ${percent(share)} of its time in pauses between attempts: ${failed.name} fails ${times(failed.errors, 'time')} in ${times(failed.requests, 'request')}.`
          : `${route} waits for a timer ${percent(share)} of its time.`,
        what: `${placed(line)} waits ${duration(meanMs)} for timers in each request${waits >= 1.5 ? `, in ${rounded(waits)} waits` : ''}; nothing else is done meanwhile.`,
        where: placeOf(at),
        why: isRetry ? 'a failed call is made again after a pause, and the request waits for all of them' : 'the request waits for a time that is fixed in the code, however fast everything else is',
        instead: isRetry
          ? `find out why ${failed.name} fails; limit the attempts and the time in all, and give up at once on errors that will stay`
          : 'wait for the event itself (a callback, a notification, a blocking read) instead of polling or pausing; do what may be done later after the response' + (isPoll ? '. Where it is a long poll, which waits for its next event, nothing is wrong' : ''),
        evidence: { route, meanMs: rounded(meanMs), share: rounded(share, 3), waitsPerRequest: rounded(waits), failedCalls: failed?.errors ?? 0 }
      })
    })
  }
}

/**
 * @param {Readings} readings
 * @param {RouteLine} at
 * @returns {RouteLine[]} the part of the wait in which no attempt is under way; none where there is one attempt only
 */
function pausesOnly (readings, at) {
  const failed = failedCallsOf(readings, at)
  if (failed === null || failed.calls < 2 * failed.requests) return []
  const part = Math.max(0, at.share - failed.share) / at.share
  return [{ ...at, meanMs: at.meanMs * part, share: at.share * part, seconds: at.seconds * part }]
}

/**
 * @typedef {{ name: string, calls: number, errors: number, requests: number, share: number }} FailedCalls  the calls that failed most; share: of the duration of
 *   these requests, in which any call was under way
 */

/**
 * @param {Readings} readings
 * @param {RouteLine} at
 * @returns {FailedCalls | null} of the slow requests of its route, where each has one
 */
function failedCallsOf (readings, at) {
  const { requests, calls } = slowCallsOf(readings, at.route)
  const [most] = calls.sort((left, right) => right.errors - left.errors)
  const ofNone = failedOfNone(readings, at)
  if (most === undefined || most.errors < Math.max(1, requests.length)) return ofNone
  if (ofNone !== null && ofNone.name === most.name && most.calls < 2 * requests.length) return ofNone
  return { ...most, requests: requests.length, share: sum(calls, ({ ms }) => ms) / sum(requests, ({ durationMs }) => durationMs) }
}

/**
 * The RetryAgent of undici makes further attempts for no request. They are those of this line where nothing else calls anything.
 * @param {Readings} readings
 * @param {RouteLine} at
 * @returns {FailedCalls | null}
 */
function failedOfNone (readings, { route, waitingPerSecond, share, seconds: waitedSeconds }) {
  const calls = (readings.calls ?? []).filter(({ kind, operation }) => kind === 'http' && operation !== 'acquire')
  const callers = linesOf(readings, ({ awaited, via }) => [awaited, via].some(name => name === 'undici' || name === 'fetch'))
  if (calls.length !== 1 || callers.length === 0 || callers.some(line => line.route !== route)) return null
  const [{ count, errors, seconds }] = calls
  const requests = waitingPerSecond * observedMsOf(readings) / 1e3
  return errors < requests ? null : { name: callName(calls[0]), calls: count, errors, requests: Math.round(requests), share: share * seconds / waitedSeconds }
}

const LOCK_WAIT = Object.freeze({ minShare: 0.3, minMs: 20 })

/**
 * Requests wait until another request goes on: a lock, a semaphore or a queue of the application. There is no I/O under it.
 * @type {Detector}
 */
const lockWait = {
  ids: ['lock-wait'],
  explains: [],
  find (readings, found) {
    const hasSmallPool = (/** @type {string} */ route) => found.some(({ id, where }) => id === 'small-pool' && where?.route === route)
    const lines = linesOf(readings, ({ resumedBy, turnMs }) => resumedBy !== null || turnMs > 0).map(inLineOnly)
      .filter(({ share, meanMs }) => share >= LOCK_WAIT.minShare && meanMs >= LOCK_WAIT.minMs)
    return lines.filter(({ route, line }) => databaseOf(line) === null || !hasSmallPool(route)).map(at => {
      const { route, line, seconds, meanMs, perSecond, share } = at
      const { lock, until, why, instead, evidence } = lockOf(line)
      const inLine = perSecond * meanMs / 1e3
      return makeWaitFinding(readings, seconds, {
        id: 'lock-wait',
        title: `${route} waits ${percent(share)} of its time for ${lock}, at ${placed(line)}.`,
        what: `It waits ${duration(meanMs)} on average${until}; ${rounded(inLine)} requests stand in line at a time.`,
        where: placeOf(at),
        why,
        instead,
        evidence: { route, meanMs: rounded(meanMs), share: rounded(share, 3), inLine: rounded(inLine), ...evidence }
      })
    })
  }
}

/**
 * @param {WaitLine} line
 * @returns {Pick<Finding, 'why' | 'instead' | 'evidence'> & { lock: string, until: string }} what is said of the lock or queue that requests wait for there
 */
function lockOf (line) {
  if (line.resumedBy !== null) {
    const by = placed(line.resumedBy)
    return {
      lock: 'a lock or queue of the application',
      until: `, until other code of the application lets it go on, at ${by}`,
      why: 'it involves no I/O: requests are handled one after the other, and each waits for those before it',
      instead: 'hold the lock for less (no I/O in it), use one lock for each key instead of one for all, or let more through at a time',
      evidence: { resumedBy: by }
    }
  }
  const database = databaseOf(line)
  if (database !== null) {
    return {
      lock: `a lock of the database (${database})`,
      until: ' until another request has ended its transaction, or given the lock back',
      why: 'they change or lock the same rows, or take the same lock: the database lets one transaction go on at a time, and the others wait until it has ended',
      instead: 'hold the lock for less: take it as late as possible, end the transaction right after, and do what needs no lock before it; lock single rows instead of one for all (or take rows that nobody has, FOR UPDATE SKIP LOCKED); ' +
        'a counter of which all requests change the same row can be added up elsewhere, and be written now and then',
      evidence: { package: database }
    }
  }
  const name = line.via ?? line.awaited
  return {
    lock: `its turn ${name === null ? 'behind other requests' : `in ${name}`}`,
    until: ` until ${name === null ? 'the work of the requests before it' : `other work that was given to ${name}`} has ended`,
    why: `${name ?? 'a chain of promises'} lets only some of the work run at a time: each request waits for those before it, while the loop is free`,
    instead: `let more through at a time${name === null ? '' : ' (or in a second, where it limits the rate)'}, as far as what is behind ${name ?? 'it'} can take it; do less in each turn; or use one queue or lock for each key instead of one for all`,
    evidence: { package: name }
  }
}

/** @param {WaitLine} line @returns {string | null} the client of a database that is awaited, and no queue before it */
function databaseOf ({ via, awaited }) {
  return queueOf({ via, awaited }) !== null ? null : [via, awaited].find(isDatabase) ?? null
}

/**
 * @param {RouteLine} at
 * @returns {RouteLine} where the package of a queue is awaited, its own work is part of the wait, and does not count
 */
function inLineOnly (at) {
  const { line: { resumedBy, ms, queuedMs, turnMs }, meanMs, share, seconds } = at
  if (resumedBy !== null) return at
  const part = Math.min(1, turnMs / (ms + queuedMs))
  return { ...at, meanMs: meanMs * part, share: share * part, seconds: seconds * part }
}

const SERIAL = Object.freeze({
  minAwaits: 3,
  // A request: with less there is little to gain.
  minMs: 50,
  minShare: 0.5
})

/**
 * Awaits of one function that follow each other. Whether they need each other's results cannot be seen: a hint.
 * @type {Detector}
 */
const serialAwaits = {
  ids: ['serial-awaits'],
  explains: [],
  find (readings, found) {
    return sampledRoutes(readings).flatMap(({ route, requests, totalMs, serial, seconds, lines }) => {
      if (found.some(({ id, where }) => ['small-pool', 'timer-wait', 'lock-wait'].includes(id) && where?.route === route)) return []
      const long = serial.filter(one => one.awaits >= SERIAL.minAwaits && one.requests >= MIN_REQUESTS && one.ms / one.requests >= SERIAL.minMs && one.ms >= totalMs * SERIAL.minShare)
      return long.slice(0, 1).map(one => {
        const share = Math.min(1, one.ms / totalMs)
        const meanMs = one.ms / one.requests
        const isOwn = (/** @type {WaitPlace} */ place) => place.function === one.function && place.file === one.file
        // Of a function that it calls in each round, the innermost one that waits has the line.
        const own = lines.filter(line => isOwn(line) || line.callers.some(isOwn))
        const inLoop = own.find(line => line.waits >= line.requests * SERIAL.minAwaits)
        const onOneConnection = sum(own.filter(({ awaited }) => awaited === 'pg'), ({ ms }) => ms) > sum(own, ({ ms }) => ms) * SERIAL.minShare
        return makeWaitFinding(readings, seconds * share, {
          id: 'serial-awaits',
          severity: 'info',
          title: `${route} awaits ${rounded(one.awaits)} times in a row in ${placed(one)}: ${duration(meanMs)}, ${percent(share)} of its time.`,
          what: `${one.requests} of ${times(requests, 'sampled request')} did${inLoop === undefined ? '' : `, ${rounded(inLoop.waits / inLoop.requests)} times at ${isOwn(inLoop) ? `line ${inLoop.line}` : placed(inLoop)}`}.`,
          where: { function: one.function, file: one.file, line: one.line, column: one.column, via: null, route },
          why: onOneConnection
            ? 'they are queries of one client of pg, which has one connection: they run one after the other, also where they are started together'
            : 'each await begins when the one before has ended; where they do not need each other\'s results, the request could wait for all of them at once',
          instead: onOneConnection
            ? 'make fewer queries (several rows in one statement, a join, a CTE), also for a shorter transaction; what does not belong to the transaction can go through the pool, before it'
            : inLoop === undefined
              ? 'start what is independent together: await Promise.all([a(), b(), c()])'
              : 'fetch all with one call instead of one in each round (an N+1 query), or start them together: await Promise.all(items.map(…)), with a limit where there are many',
          evidence: { route, awaits: one.awaits, maxAwaits: one.maxAwaits, meanMs: rounded(meanMs), share: rounded(share, 3) },
          confidence: 'low'
        })
      })
    })
  }
}

const MANY = Object.freeze({
  // Of a request: so many are likely to be one for each of the rows of another.
  minCalls: 10,
  minMs: 50,
  minShare: 0.3
})

/**
 * Queries of a request that are made together, one for each of the rows of another one. Of those in a row, and of routes that are slow, another finding
 * says so. A hint.
 * @type {Detector}
 */
const manyCalls = {
  ids: ['many-calls'],
  explains: [],
  find (readings, found) {
    const isSaid = (/** @type {string} */ route) => found.some(({ id, where }) => id === 'serial-awaits' && where?.route === route) || slowRoutes(readings).some(one => one.route === route)
    const lines = linesOf(readings, line => databaseOf(line) !== null && callsOf(line) >= MANY.minCalls)
    return lines.filter(({ route, share, meanMs }) => share >= MANY.minShare && meanMs >= MANY.minMs && !isSaid(route)).map(at => {
      const { route, line, seconds, meanMs, share } = at
      const calls = rounded(callsOf(line))
      return makeWaitFinding(readings, seconds, {
        id: 'many-calls',
        severity: 'info',
        title: `${route} makes ${calls} calls of ${databaseOf(line)} in each request: ${duration(meanMs)}, ${percent(share)} of its time.`,
        what: `They are awaited at ${placed(line)}${line.longest === null ? '' : `, and made at ${placed(line.longest)}`}.`,
        where: placeOf(at),
        why: 'each of them takes a connection, and time of the database and of the loop; with more connections in use than there are, they wait for each other',
        instead: 'fetch all with one call (an N+1 query): a join, WHERE id IN (…) or ANY($1), or a loader that gathers the calls of a request (dataloader)',
        evidence: { route, calls, meanMs: rounded(meanMs), share: rounded(share, 3), package: databaseOf(line) },
        confidence: 'low'
      })
    })
  }
}

/** @param {WaitLine} line @returns {number} calls of a request */
function callsOf ({ waits, requests, together }) {
  return Math.max(waits / requests, together)
}

module.exports = { lockWait, manyCalls, serialAwaits, timerWait }
