'use strict'

// Describes the requests under way as data, from what the application's thread reads of them.

const { monotonicMicros, toEpochMs } = require('../../base/monotonic')

/** @import { Culprit } from '../../../types/diagnostics' */
/** @import { RequestInFlight, RequestsInFlight } from '../../../types/requests' */
/** @import { InFlightReading, ReadRequest } from '../../probe/http/in-flight' */

/**
 * @typedef {object} Known  beside the reading
 * @property {boolean} [isStale]    it was read earlier
 * @property {number} [blockedMs]   how long the loop has been blocked
 * @property {{ culprit: Culprit | null } | null} [running]  what runs; null: nothing
 * @property {(request: ReadRequest) => boolean} [isGone]  its client is gone, and the loop has not noticed
 */

/** @param {InFlightReading} reading @param {Known} [known] @returns {RequestsInFlight} */
function describeInFlight (reading, { isStale = false, blockedMs = 0, running = null, isGone = () => false } = {}) {
  const { atMicros, total, upgraded, requests } = reading
  const isBlocked = blockedMs > 0 && !isStale
  return {
    at: Math.round(toEpochMs(atMicros)),
    ageMs: Math.max(0, Math.round((monotonicMicros() - atMicros) / 1e3)),
    isStale,
    blockedMs: Math.round(blockedMs),
    total,
    upgraded,
    running: running === null ? null : { route: reading.running, culprit: running.culprit },
    requests: requests.map(request => describe(request, { atMicros, isRunning: running !== null && request.isRunning, isBlocked, isGone }))
  }
}

/**
 * @param {ReadRequest} request
 * @param {{ atMicros: number, isRunning: boolean, isBlocked: boolean, isGone: (request: ReadRequest) => boolean }} known
 * @returns {RequestInFlight}
 */
function describe (request, { atMicros, isRunning, isBlocked, isGone }) {
  const { route, method, fromMicros, goneMicros, isSending, isReceiving, waits, traceId } = request
  const since = (/** @type {number} */ micros) => Math.max(0, Math.round((atMicros - micros) / 1e3))
  return {
    route,
    method,
    at: Math.round(toEpochMs(fromMicros)),
    ageMs: since(fromMicros),
    state: isRunning ? 'running' : isSending ? 'sending' : isBlocked && waits.length === 0 ? 'loop' : isReceiving && waits.length === 0 ? 'receiving' : 'waiting',
    waits: waits.map(({ kind, operation, target, calls, sinceMicros }) => ({ kind, operation, target, calls, ms: since(sinceMicros) })),
    clientGone: goneMicros !== null || isGone(request),
    traceId
  }
}

module.exports = { describeInFlight }
