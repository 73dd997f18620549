'use strict'

// The detector of requests that are never answered: what they wait for does not come, or nothing of them waits any more.

const { groupBy, sum } = require('../../../base/sums')
const { callName, MIN_REQUESTS, observedMsOf, utilizationOf } = require('../../../shared/findings/readings')
const { duration, placed, rounded, sentences } = require('../../../shared/findings/format-text')
const { STATUS_CLIENT_CLOSED } = require('../../../shared/requests/request-batch')
const { makeFinding } = require('../finding')
const { CALLBACK_KINDS, DATABASES } = require('../../waits/await-stacks')
const { placeOf } = require('../waiting')

/** @import { RequestInFlight } from '../../../../types/requests' */
/** @import { WaitLine } from '../../../../types/waits' */
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
    why: 'connections that were taken from the pool do not come back: each one that is kept is missing for good, until none is left',
    instead: call?.startsWith('http ') === true
      ? 'read each response to its end, or destroy it, also where only its status matters; set a timeout for the call, so that it fails instead'
      : 'give each connection back on every path, also after an error and an early return (release() in a finally); limit the wait for one (connectionTimeoutMillis, acquireTimeout), so that requests fail instead'
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
  const client = line === null ? undefined : [line.awaited, line.via].find(name => name !== null && DATABASES.has(name))
  if (client === undefined) return null
  return {
    what: `They wait${at} for ${client}: for a connection, or for the answer to a query.`,
    why: 'either connections that were taken from the pool do not come back, until none is left, or the database does not go on, as behind the lock of a transaction that stays open',
    instead: 'give each connection back on every path, also after an error and an early return (release() in a finally); look for transactions that stay open (idle in transaction) and statements that wait for a lock; ' +
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

module.exports = { hangingRequests }
