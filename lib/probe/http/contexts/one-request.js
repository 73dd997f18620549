'use strict'

// The context of one request: what is recorded about it while it is handled, and how to find it from the request.

const { executionAsyncId } = require('node:async_hooks')

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Socket } from 'node:net' */
/** @import { Active } from '../../../api/http/request-durations' */
/** @import { Connection, ResponseEnds } from '../response-ends' */
/** @import { RouteFacts } from '../set-route' */
/** @import { RequestWaits } from '../../waits/request-waits' */

/** Synchronous code of a request that takes less is not noted: it is a tenth of the time between two samples. */
const MIN_WORK_MICROS = 1000

/**
 * What the AsyncLocalStorage holds for a request. Anything that the request leaves behind (a pending promise, a timer) retains it, so it is as
 * small as an object can be.
 * @typedef {{ context: RequestContext }} Holder
 *
 * What every request needs is copied here at its begin. Express gives each request and response another prototype, and before Node 24 V8 then
 * creates a new shape for each, so reading one of their properties takes half a microsecond.
 * @typedef {object} RequestContext
 * @property {IncomingMessage} request
 * @property {string | undefined} method
 * @property {ServerResponse | null} response  null: the connection does not report its end
 * @property {Socket | null} socket     its connection
 * @property {Connection | null} connection  what is kept about that connection; null: it does not report the end of this response
 * @property {RouteFacts | undefined} routeFacts  set by the application or the framework
 * @property {number} startMicros       when it was read, on the monotonic clock
 * @property {number} arrivedMicros     when it may have arrived: earlier than startMicros where the loop read it late
 * @property {number} firstTurn         Node's async id of the call in which it began; 0 once a part of its body has arrived since
 * @property {number} turnMicros        how long its first synchronous code ran; 0: not measured
 * @property {object | null} countedBy  the request durations that count this request
 * @property {Active | null} active     its entry there, until it is answered
 * @property {Map<object, Active | null> | null} alsoCountedBy  the same of further handles
 * @property {ResponseEnds | null} endsWith  the part that waits for the end of its response
 * @property {OnEnd | null} onEnd       called at that end, before the request is released
 * @property {string | null} route      the route that it was counted under, once it is counted
 * @property {RequestWaits | null} waits  its observed waits, until it is answered
 * @property {Holder} holder
 * @property {{ remove (context: RequestContext): void } | null} listedIn  the list of requests in flight that it is in
 * @property {RequestContext | null} older  its neighbors there
 * @property {RequestContext | null} newer
 */

/** @typedef {(context: RequestContext, response: ServerResponse, isSent: boolean) => void} OnEnd */

// Copies of this package in one process share contexts, so the name carries the version of RequestContext.
const NAME = 'route-context.12'
const CONTEXT = Symbol.for(`loopscope.${NAME}`)

/**
 * All contexts have one shape, so that V8's inline caches hit.
 * @param {IncomingMessage} request
 * @param {number} startMicros
 * @param {number} arrivedMicros
 * @param {ServerResponse | null} [response]  whose end its connection reports
 * @returns {RequestContext}
 */
function createRequestContext (request, startMicros, arrivedMicros, response = null) {
  /** @type {RequestContext} */
  const context = {
    request,
    method: request.method,
    response,
    socket: response === null ? null : request.socket,
    connection: null,
    routeFacts: undefined,
    startMicros,
    arrivedMicros,
    firstTurn: executionAsyncId(),
    turnMicros: 0,
    countedBy: null,
    active: null,
    alsoCountedBy: null,
    endsWith: null,
    onEnd: null,
    route: null,
    waits: null,
    holder: /** @type {any} */ (null),
    listedIn: null,
    older: null,
    newer: null
  }
  context.holder = { context }
  return context
}

/**
 * Assigned, not defined: a non-enumerable property would cost ten times as much.
 * @param {any} source  the source of a request's body
 * @param {RequestContext} context
 */
function putContext (source, context) {
  source[CONTEXT] = context
}

/**
 * @param {any} source  one that was passed to putContext()
 * @returns {RequestContext | undefined}
 */
function contextOn (source) {
  return source[CONTEXT]
}

/**
 * @param {RequestContext} context
 * @returns {boolean} whether the call that began the request has not returned yet: then everything since ran for it
 */
function isInFirstTurn ({ firstTurn }) {
  return firstTurn !== 0 && firstTurn === executionAsyncId()
}

/** An HTTP/2 request replaces its stand-in, which was used while there was only the stream. @param {any} request */
function replaceStandIn (request) {
  const { stream } = request
  const context = stream ? contextOn(stream) : undefined
  if (context !== undefined && /** @type {any} */ (context.request).stream === stream) context.request = request
}

module.exports = { MIN_WORK_MICROS, NAME, createRequestContext, contextOn, putContext, isInFirstTurn, replaceStandIn }
