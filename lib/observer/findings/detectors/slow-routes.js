'use strict'

// Detectors of routes whose requests take long while the loop has little to do: they are never answered, because what they wait for does not come or
// nothing of them waits any more; or they wait for something outside.

const { groupBy, sum } = require('../../../base/sums')
const { callName, MIN_REQUESTS, SLOW_MS, mostWaited, mostWaitedLine, observedMsOf, slowRoutes, sumStalls, utilizationOf } = require('../../../shared/findings/readings')
const { duration, percent, placed, rounded, sentences, times } = require('../../../shared/findings/format-text')
const { STATUS_CLIENT_CLOSED } = require('../../../shared/requests/request-batch')
const { isInPackage, packageOf } = require('../../../formats/profile/frame')
const { makeFinding } = require('../finding')
const { CALLBACK_KINDS, isDatabase } = require('../../waits/await-stacks')
const { linesOf, mayBeLongPoll, placeOf } = require('../waiting')

/** @import { RequestInFlight } from '../../../../types/requests' */
/** @import { RouteWaits, WaitLine } from '../../../../types/waits' */
/** @import { Detector } from '../finding' */
/** @import { Readings } from '../../../shared/findings/readings' */

const HANGING = Object.freeze({
  minRequests: 3,
  minMs: 15_000,
  // Of the mean time that others of the route take, and of the longest.
  minTimes: 20,
  minTimesLongest: 2,
  // Where hardly any other was answered: it may be a long poll.
  minUnknownMs: 30_000,
  // Of those of which it is known where they wait.
  minShare: 0.5,
  // A busy loop answers late.
  maxUtilization: 0.8
})

/**
 * @typedef {object} Hanging  requests of one route
 * @property {string | null} route  null: not known yet
 * @property {RequestInFlight[]} requests  oldest first
 * @property {number | null} answeredMs  that others of the route take, on average; null: hardly any was answered
 */

/**
 * Requests stay under way for far longer than others of their route.
 * @type {Detector}
 */
const hangingRequests = {
  ids: ['hanging-requests'],
  explains: [],
  find (readings) {
    if (readings.blockedMs > 0 || utilizationOf(readings) > HANGING.maxUtilization) return []
    return hangingOf(readings).map(hanging => {
      const { route, requests, answeredMs } = hanging
      const cause = causeOf(readings, hanging)
      const [{ ageMs: oldestMs }] = requests
      const gone = requests.filter(({ clientGone }) => clientGone).length
      const share = 1 - utilizationOf(readings)
      return makeFinding(readings, {
        id: 'hanging-requests',
        severity: 'warning',
        title: `${requests.length} requests of ${route ?? 'a route that is not known yet'} hang: the oldest has been under way for ${duration(oldestMs)}` +
          `${answeredMs === null ? '' : `, others take ${duration(answeredMs)}`}.`,
        lostMs: observedMsOf(readings) * share,
        share,
        what: sentences(cause.what, gone > 0 && (gone === requests.length ? 'Their clients have all given up.' : `The clients of ${gone} of them have given up.`)),
        where: placeOf(cause.line && { route, line: cause.line }),
        why: cause.why,
        instead: cause.instead,
        evidence: {
          route,
          hanging: requests.length,
          oldestMs,
          answeredMs: answeredMs && rounded(answeredMs),
          clientsGone: gone,
          call: cause.call,
          line: cause.line && placed(cause.line),
          awaited: cause.line?.awaited ?? null
        },
        confidence: answeredMs === null || cause.line === null ? 'medium' : 'high',
        next: [`npx loopscope requests ${readings.pid}`, cause.line === null ? `npx loopscope ps ${readings.pid}` : `npx loopscope waits ${readings.pid} --seconds 10`]
      })
    })
  }
}

/** @param {Readings} readings @returns {Hanging[]} most requests first */
function hangingOf ({ underWay = [], process, slow }) {
  const waiting = underWay.filter(({ state, method }) => state === 'waiting' && method !== 'job')
  return [...groupBy(waiting, ({ route }) => route)].flatMap(([route, all]) => {
    const answeredMs = answeredMsOf(process?.routes.find(one => one.route === route))
    const longestMs = Math.max(0, ...slow.filter(one => one.route === route && one.status !== STATUS_CLIENT_CLOSED).map(({ durationMs }) => durationMs))
    const minMs = answeredMs === null ? HANGING.minUnknownMs : Math.max(HANGING.minMs, answeredMs * HANGING.minTimes)
    const requests = all.filter(({ ageMs }) => ageMs >= Math.max(minMs, longestMs * HANGING.minTimesLongest))
    return requests.length < HANGING.minRequests ? [] : [{ route, requests, answeredMs }]
  }).sort((left, right) => right.requests.length - left.requests.length)
}

/** @param {import('../../../shared/findings/readings').RouteReading | undefined} route */
function answeredMsOf ({ count, seconds, goneCount = 0, goneSeconds = 0 } = { route: '', count: 0, seconds: 0 }) {
  return count - goneCount < MIN_REQUESTS ? null : (seconds - goneSeconds) * 1e3 / (count - goneCount)
}

/**
 * @typedef {object} Known  of requests that hang
 * @property {WaitLine | null} line  at which most of those that were sampled wait
 * @property {string | null} call    that most of them wait for
 * @property {string} at             the line, in a sentence
 * @property {boolean} isUnseen      they were sampled, and most of them await nothing
 * @property {boolean} isRouted
 * @property {boolean} mayBeLongPoll hardly any of the route was answered
 *
 * @typedef {{ what: string, why: string, instead: string }} Cause
 */

/** @param {Readings} readings @param {Hanging} hanging @returns {Known & Cause} */
function causeOf ({ openWaits = [] }, { route, requests, answeredMs }) {
  const { open = 0, lines = [] } = openWaits.find(one => one.route === route) ?? {}
  const waiting = lines.filter(line => line.open > 0).sort((left, right) => right.open - left.open)
  const line = waiting.length > 0 && waiting[0].open >= open * HANGING.minShare ? waiting[0] : null
  const known = {
    line,
    call: commonCall(requests.filter(({ clientGone }) => !clientGone)),
    at: line === null ? '' : ` at ${placed(line)}`,
    isUnseen: open > 0 && sum(waiting, one => one.open) < open * HANGING.minShare,
    isRouted: route !== null && route.includes(' /'),
    mayBeLongPoll: answeredMs === null
  }
  return { ...known, ...waitForConnection(known) ?? waitForCall(known) ?? waitForDatabase(known) ?? waitAtLine(known) ?? waitForNothing(known) }
}

/** @param {Known} known @returns {Cause | null} */
function waitForConnection ({ line, call, at }) {
  const isAcquiring = call?.includes(' acquire ') === true
  if (!isAcquiring && (line === null || line.poolMs === 0)) return null
  return {
    what: `They wait${at} for a connection of ${isAcquiring ? call.replace('acquire ', '') : line?.via ?? line?.awaited}, and get none.`,
    why: 'connections that were taken from the pool do not come back: each one that is kept is missing for good, until none is left; or requests that have one wait for another',
    instead: call?.startsWith('http ') === true
      ? 'read each response to its end, or destroy it, also where only its status matters; set a timeout for the call, so that it fails instead'
      : 'give each connection back on every path, also after an error and an early return (release() in a finally); wait for no second connection while one is held; limit the wait for one (connectionTimeoutMillis, acquireTimeout), so that requests fail instead'
  }
}

/** @param {Known} known @returns {Cause | null} */
function waitForCall ({ call, at }) {
  if (call === null) return null
  return {
    what: `They wait${at} for ${call}, which has not been answered.`,
    why: 'the other side does not answer, and nothing limits how long a request waits for it',
    instead: `set a timeout for the call (AbortSignal.timeout(), or the option of the client), and answer with an error then; look at ${call} itself`
  }
}

/** @param {Known} known @returns {Cause | null} */
function waitForDatabase ({ line, at }) {
  const client = line === null ? undefined : [line.awaited, line.via].find(isDatabase)
  if (client === undefined) return null
  return {
    what: `They wait${at} for ${client}: for a connection, or for the answer to a query.`,
    why: 'either connections that were taken from the pool do not come back, until none is left (also where requests that have one wait for another), or the database does not go on, as behind the lock of a transaction that stays open',
    instead: 'give each connection back on every path, also after an error and an early return (release() in a finally); wait for no second connection while one is held; look for transactions that stay open (idle in transaction) and statements that wait for a lock; ' +
      'limit the wait for a connection and for a statement (of pg: connectionTimeoutMillis, statement_timeout), so that requests fail instead'
  }
}

const LONG_POLL = '; where it is a long poll, nothing is wrong'

/** @param {Known} known @returns {Cause | null} */
function waitAtLine ({ line, at, mayBeLongPoll }) {
  if (line === null) return null
  // The kind of a callback is that of a timer that bounds the wait, or of another callback meanwhile: not of what does not come.
  const awaited = line.awaited !== null && CALLBACK_KINDS.has(line.awaited) ? null : line.awaited
  return {
    what: `They wait${at}${awaited === null ? '' : ` for ${awaited}`}, and it does not come.`,
    why: 'what is awaited there is not settled: a lock that is not released, an event that does not come, a promise that is forgotten on one of the paths, a call without a timeout',
    instead: `look at what ${placed(line)} awaits: it has to be settled on every path, also after an error; limit the wait (AbortSignal.timeout(), a timer), so that requests fail instead${mayBeLongPoll ? LONG_POLL : ''}`
  }
}

/** @param {Known} known @returns {Cause} */
function waitForNothing ({ isUnseen, isRouted, mayBeLongPoll }) {
  return {
    what: isUnseen ? 'None of their functions awaits anything any more.' : 'Where they wait was not sampled yet.',
    why: isUnseen
      ? `${isRouted ? 'their handler has returned without an answer' : 'no route was reached: a middleware before it neither answers nor calls next()'}, or waits for a callback that is not called`
      : 'nothing answers them: what they wait for does not come, or their handler has returned without an answer',
    instead: 'answer on every path: a branch without an answer or next(), an error of an async handler that nothing passes on (Express 4 needs next(error)), a callback that is not called after an error' +
      (mayBeLongPoll ? LONG_POLL : '')
  }
}

/** @param {RequestInFlight[]} requests @returns {string | null} the call that most of them wait for */
function commonCall (requests) {
  const names = requests.flatMap(({ waits }) => waits.length === 0 ? [] : [callName(waits[0])])
  const [[name, some] = ['', []]] = [...groupBy(names, one => one)].sort(([, left], [, right]) => right.length - left.length)
  return some.length === 0 || some.length < requests.length * HANGING.minShare ? null : name
}

const SLOW_ELSEWHERE = Object.freeze({
  maxUtilization: 0.6,
  maxStalledShare: 0.05,
  // For which the loop waited for a CPU: with more, requests may be slow for that.
  maxStarvedShare: 0.2,
  maxRoutes: 3,
  // Calls of one kind in a request, from which on they are likely to be one for each of the rows of another.
  manyCalls: 10,
  minUnseen: 0.5,
  minClient: 0.5,
  minShared: 0.5,
  minAll: 0.9,
  // Of the time of a route's requests at one line, each time for so much longer than the loop is late: then that is not the reason, however late it is.
  minAtLine: 0.8,
  minTimesLate: 3,
  minTimesUneven: 20,
  // From which on a mean is a note, where no route takes longer: people notice a fifth of a second.
  noteMs: 200
})
// What these say of a route is more; the others are notes, too.
const EXPLAINED_BY = new Set(['hanging-requests', 'small-pool', 'slow-dns', 'timer-wait', 'lock-wait'])
const NOTED_BY = new Set([...EXPLAINED_BY, 'serial-awaits', 'many-calls', 'busy-threads'])

/**
 * Requests take long while the loop has little to do: they wait for something outside, so optimizing JavaScript would not help.
 * @type {Detector}
 */
const slowElsewhere = {
  ids: ['slow-elsewhere'],
  explains: [],
  find (readings, found) {
    const { process, activity } = readings
    const observedMs = observedMsOf(readings)
    const utilization = utilizationOf(readings)
    if (process === null || activity === null || utilization > SLOW_ELSEWHERE.maxUtilization) return []
    const isLate = sumStalls(readings, ['code', 'gc', 'starved', 'suspended', 'unknown']).ms > observedMs * SLOW_ELSEWHERE.maxStalledShare ||
      found.some(({ id, share }) => id === 'starved' && share > SLOW_ELSEWHERE.maxStarvedShare)
    const minWaitMs = process.delay.p99Ms * SLOW_ELSEWHERE.minTimesLate
    const atLine = new Set(linesOf(readings, ({ share, ms, waits }) => share >= SLOW_ELSEWHERE.minAtLine && ms >= waits * minWaitMs).map(({ route }) => route))
    const all = slowRoutes(readings, SLOW_ELSEWHERE.noteMs).filter(({ route, meanMs }) => {
      const by = meanMs < SLOW_MS ? NOTED_BY : EXPLAINED_BY
      return (!isLate || atLine.has(route)) && !found.some(({ id, where, evidence }) => by.has(id) && (where?.route ?? evidence.route) === route)
    })
    if (all.length === 0) return []
    const long = all.filter(({ meanMs }) => meanMs >= SLOW_MS)
    const routes = long.length > 0 ? long : all
    const isPoll = (/** @type {{ route: string }} */ { route }) => {
      const most = mostWaitedLine(readings, route)
      return most !== null && mayBeLongPoll(most.line)
    }
    const slow = [...routes.filter(one => !isPoll(one)), ...routes.filter(isPoll)]
    const [worst] = slow
    const named = slow.slice(0, SLOW_ELSEWHERE.maxRoutes).map(({ route, meanMs }) => `${route} ${duration(meanMs)}`).join(', ')
    const waits = describeWaits(process.waitsFor)
    const waited = mostWaited(readings, worst.route)
    const at = mostWaitedLine(readings, worst.route)
    const client = clientOf(readings, worst.route)
    return [makeFinding(readings, {
      id: 'slow-elsewhere',
      severity: long.length === 0 || isPoll(worst) ? 'info' : 'warning',
      title: `${worst.route} takes ${duration(worst.meanMs)} on average, but the event loop is not the cause: it is busy only ${percent(utilization)} of the time.`,
      lostMs: observedMs * (1 - utilization),
      share: 1 - utilization,
      what: sentences(
        `Requests wait for something else: ${named}.`,
        waited && describeWaited(worst.route, waited),
        at === null ? describeUnseen(readings.waits?.find(({ route }) => route === worst.route)) : describeLine(at),
        client && `For ${percent(client.share)} of it the client had not ${client.has}.`,
        waits !== '' && `In flight now: ${waits}.`
      ),
      where: placeOf(at && { route: worst.route, line: at.line }),
      why: client !== null
        ? `the loop is mostly idle and on time; ${client.why}`
        : 'the loop is mostly idle and on time; the request waits for a database, another service, a lock, a timer or a queue',
      instead: client !== null ? client.advice : waited === null ? adviceToMeasure(worst.route, at, readings) : adviceOn(waited, at, readings),
      evidence: {
        route: worst.route,
        meanMs: rounded(worst.meanMs),
        requests: worst.count,
        utilization: rounded(utilization, 3),
        waitsFor: waits,
        ...(waited !== null && { call: waited.name, callShare: rounded(waited.share, 3), callsPerRequest: rounded(waited.callsPerRequest), failedCalls: waited.errors }),
        ...(client !== null && { clientShare: rounded(client.share, 3) }),
        ...(at !== null && { line: placed(at.line), lineShare: rounded(at.share, 3), awaited: at.line.awaited })
      },
      confidence: worst.count >= MIN_REQUESTS * 4 ? 'high' : 'medium',
      next: [`npx loopscope waits ${readings.pid} --seconds 10`, `npx loopscope slow ${readings.pid}`]
    })]
  }
}

const OR_TOGETHER = ', or run the calls in parallel'
/** What requests wait for where the client is slow. */
const CLIENT = Object.freeze({
  reading: {
    has: 'read yet what was sent',
    why: 'data is sent no faster than the client, or the network to it, accepts it',
    advice: 'send less (compress, pages, fewer fields), or let a proxy or a CDN take the response and send it on; large responses to slow clients need memory and connections, and little else'
  },
  sending: {
    has: 'sent all of its request yet',
    why: 'a request can be answered once it has arrived, which takes as long as the client, or the network from it, needs',
    advice: 'let a proxy receive the whole request before it passes it on (as nginx does by default), or let clients send files to an object store; smaller requests (compressed, in parts) arrive sooner'
  }
})

/**
 * @param {Readings} readings
 * @param {string} route
 * @returns {(typeof CLIENT)[keyof typeof CLIENT] & { share: number } | null} share: of its waiting; null: it is not the client
 */
function clientOf ({ waits = [] }, route) {
  const { clientMs = 0, uploadMs = 0, waitingMs = 0 } = waits.find(one => one.route === route) ?? {}
  const share = Math.max(clientMs, uploadMs) / Math.max(1, waitingMs)
  return share < SLOW_ELSEWHERE.minClient ? null : { ...(uploadMs > clientMs ? CLIENT.sending : CLIENT.reading), share }
}

/** @param {NonNullable<ReturnType<typeof mostWaitedLine>>} at */
function describeLine ({ line, share }) {
  const rounds = line.waits / line.requests
  // A statement takes about as long each time.
  const isUneven = [line.awaited, line.via].some(isDatabase) && line.p99Ms >= Math.max(line.p50Ms, 1) * SLOW_ELSEWHERE.minTimesUneven
  const uneven = isUneven ? ` Half of them wait ${duration(line.p50Ms)} there, the longest ${duration(line.maxMs)}: what is slow is not the statement itself, but what it waits for, such as a lock that another transaction or process holds.` : ''
  const until = line.resumedBy === null ? '' : `, until ${placed(line.resumedBy)} lets them go on`
  return `They wait ${percent(share)} of that time at ${placed(line)}${line.awaited === null ? until : `, for ${line.awaited}`}${line.calledAt == null ? '' : `, called at ${placed(line.calledAt)}`}${line.longest === null ? '' : `, in which ${placed(line.longest)} takes longest`}${line.sharedMs > line.ms * SLOW_ELSEWHERE.minShared ? ', several of them for one result' : ''}${rounds < 1.5 ? '' : `, ${rounded(rounds)} times each`}.${uneven}`
}

/** What is known where no line has most of the waiting. @param {RouteWaits | undefined} route */
function describeUnseen (route) {
  if (route === undefined || route.waitingMs === 0) return 'At which line was not sampled.'
  if (route.unseenMs >= route.waitingMs * SLOW_ELSEWHERE.minUnseen) {
    const unseen = `In ${times(route.requests, 'sampled request')} no await of the application was seen for ${percent(route.unseenMs / route.waitingMs)} of that time`
    return route.truncated === 0 ? `${unseen}: it waits for callbacks, events or streams.` : `${unseen}: ${route.truncated} of them had too many promises at once to follow them to the end.`
  }
  const lines = route.lines.slice(0, SLOW_ELSEWHERE.maxRoutes).map(line => `${placed(line)} ${percent(line.ms / route.waitingMs)}${line.awaited === null ? '' : ` for ${line.awaited}`}`)
  return `They wait at several lines: ${lines.join(', ')}.`
}

const IN_PARALLEL = 'run in parallel what is awaited one after the other'

/** @param {string} route @param {ReturnType<typeof mostWaitedLine>} at @param {Readings} readings */
function adviceToMeasure (route, at, { waits = [] }) {
  if (at === null) return `measure what ${route} awaits (tracing, slow query log); ${IN_PARALLEL}; check the sizes of connection pools`
  const { line } = at
  const isOfDatabase = [line.awaited, line.via].some(isDatabase)
  if (isInPackage(line.file)) return `look at why ${packageOf(line.file)} waits there, as a middleware or before it: its options (a limit, a pause, a timeout), and what it asks (a store, another service)`
  if (line.waits >= line.requests * SLOW_ELSEWHERE.manyCalls) {
    const isInRow = waits.find(one => one.route === route)?.serial.some(({ awaits }) => awaits >= SLOW_ELSEWHERE.manyCalls / 2) === true
    return adviceOnMany(line.waits / line.requests, 'awaits') + (isInRow ? OR_TOGETHER : '')
  }
  if (line.together >= SLOW_ELSEWHERE.manyCalls && isOfDatabase) return adviceOnMany(line.together, 'calls at a time')
  if (isOfDatabase) {
    return `look at the statements of ${placed(line)}: their plan (EXPLAIN), an index, locks that other transactions hold; whether each connection is given back on every path, and the size of the pool; ${IN_PARALLEL}`
  }
  if (line.resumedBy !== null) return `look at what lets it go on, ${placed(line.resumedBy)}: how long one takes, and how many go on at a time`
  if (line.awaited === null || line.awaited === 'node:events' || mayBeLongPoll(line)) return `look at what ${placed(line)} awaits; ${IN_PARALLEL}. Where it is a long poll, which waits for its next event, nothing is wrong`
  // Nothing else is awaited that could run meanwhile.
  const isAll = at.share >= SLOW_ELSEWHERE.minAll && line.waits < line.requests * 1.5
  const cure = isAll ? 'how long the other side takes, whether its answer can be cached, and whether the response can be sent before' : IN_PARALLEL
  return `look at what ${placed(line)} awaits${isAll ? ': ' : '; '}${cure}; check the sizes of connection pools`
}

/** @param {string} route @param {NonNullable<ReturnType<typeof mostWaited>>} waited */
function describeWaited (route, { name, share, callsPerRequest, errors }) {
  const failed = errors === 0 ? '' : ` (${times(errors, 'failed call')})`
  return `Slow requests of ${route} waited ${percent(share)} of that time for ${name}, ${callsOf(callsPerRequest)} per request${failed}.`
}

/** @param {number} calls */
function callsOf (calls) {
  return calls === 1 ? '1 call' : `${rounded(calls)} calls`
}

/**
 * @param {number} count  per request
 * @param {string} what
 */
function adviceOnMany (count, what) {
  return `fetch with one call what a request now fetches with ${rounded(count)} ${what} (an N+1 query)`
}

/**
 * @param {NonNullable<ReturnType<typeof mostWaited>>} waited
 * @param {ReturnType<typeof mostWaitedLine>} at
 * @param {Readings} readings
 */
function adviceOn ({ name, callsPerRequest }, at, { calls = [] }) {
  if (name.includes(' acquire ')) return `requests wait until a connection is free: hold connections for a shorter time, or raise the size of the pool of ${name}`
  const isTogether = at !== null && at.isWhole && at.line.waits < at.line.requests * 2
  // A pipeline is one call already.
  if (callsPerRequest >= SLOW_ELSEWHERE.manyCalls && !(isTogether && name.startsWith('redis '))) {
    return isTogether ? adviceOnMany(callsPerRequest, 'calls at a time') : adviceOnMany(callsPerRequest, 'calls') + OR_TOGETHER
  }
  const [kind, , target] = name.split(' ')
  const [long] = calls.filter(call => kind === 'redis' && call.kind === kind && call.target === target && LONG_COMMANDS.has(call.operation)).sort((left, right) => right.seconds - left.seconds)
  if (long !== undefined) {
    return `look at what Redis itself does (SLOWLOG GET): it runs one command at a time, and quick ones wait for long ones, such as ${long.operation} may be (${times(long.count, 'call')} of ` +
      `${duration(long.seconds * 1e3 / long.count)} here); do less in one command (SCAN, ranges, short scripts), or use another instance for such work`
  }
  const together = at?.line.awaited?.startsWith('Promise.') === true ? '' : ', or make the call at the same time as others'
  return `look at ${name} itself: its slow log, an index, its load; cache what it answers${together}`
}

// The more elements there are, the longer these take; a script takes as long as it likes.
const LONG_COMMANDS = new Set(['EVAL', 'EVALSHA', 'FCALL', 'FLUSHALL', 'FLUSHDB', 'HGETALL', 'KEYS', 'LRANGE', 'SMEMBERS', 'SORT', 'ZRANGE'])

/** @param {Record<string, number>} waitsFor */
function describeWaits (waitsFor) {
  return Object.entries(waitsFor).filter(([, count]) => count > 1).sort(([, left], [, right]) => right - left)
    .slice(0, SLOW_ELSEWHERE.maxRoutes).map(([kind, count]) => `${count} ${kind}`).join(', ')
}

module.exports = { hangingRequests, slowElsewhere }
