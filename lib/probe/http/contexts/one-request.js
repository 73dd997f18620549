'use strict'

// What is known of one request while it is worked on, and how it is found again by its request.

const { executionAsyncId } = require('node:async_hooks')

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Socket } from 'node:net' */
/** @import { Active } from '../../../api/http/request-durations' */
/** @import { ResponseEnds } from '../response-ends' */
/** @import { Told } from '../told-route' */
/** @import { RequestWaits } from '../../waits/request-waits' */

/**
 * What the storage of contexts holds for a request. Whatever the request leaves behind, a promise that stays pending or a timer, keeps it,
 * so it is as small as an object can be.
 * @typedef {{ context: RequestContext }} Holder
 *
 * What is asked for with every request is kept here from its begin: Express gives each request and its response another prototype, and before
 * Node 24 V8 has a new shape for each then, so that a look at one of their properties takes half a microsecond.
 * @typedef {object} RequestContext
 * @property {IncomingMessage} request
 * @property {string | undefined} method
 * @property {ServerResponse | null} response  null: its end is not to be learned from the connection
 * @property {Socket | null} socket     that connection
 * @property {Told | undefined} told     what else is known of its route than the request says
 * @property {number} startMicros       when it was read, of the monotonic clock
 * @property {number} arrivedMicros     when it may have come: before, where the loop was late to read it
 * @property {number} firstTurn         Node's id of the call in which it was begun; 0 when something of its body has come since
 * @property {object | null} countedBy  the request durations that count this request
 * @property {Active | null} active     what it counts as there, until it is answered
 * @property {Map<object, Active | null> | null} alsoCountedBy  the same of further handles
 * @property {ResponseEnds | null} endsWith  what awaits the end of its response
 * @property {OnEnd | null} onEnd       called then, before the request is let go of
 * @property {string | null} route      what it was counted as, once it is
 * @property {RequestWaits | null} waits  what it waits for, as far as that is seen, until it is answered
 * @property {Holder} holder
 */

/** @typedef {(context: RequestContext, response: ServerResponse, isSent: boolean) => void} OnEnd */

// Copies of this package in one process share contexts, so their name carries the version of RequestContext.
const NAME = 'route-context.9'
const CONTEXT = Symbol.for(`loopscope.${NAME}`)

/**
 * All of one shape, which V8 knows.
 * @param {IncomingMessage} request
 * @param {number} startMicros
 * @param {number} arrivedMicros
 * @param {ServerResponse | null} [response]  whose end its connection tells
 * @returns {RequestContext}
 */
function createRequestContext (request, startMicros, arrivedMicros, response = null) {
  /** @type {RequestContext} */
  const context = {
    request,
    method: request.method,
    response,
    socket: response === null ? null : request.socket,
    told: undefined,
    startMicros,
    arrivedMicros,
    firstTurn: executionAsyncId(),
    countedBy: null,
    active: null,
    alsoCountedBy: null,
    endsWith: null,
    onEnd: null,
    route: null,
    waits: null,
    holder: /** @type {any} */ (null)
  }
  context.holder = { context }
  return context
}

/**
 * It is assigned, not defined: hiding it from who enumerates a request would cost ten times as much.
 * @param {any} source  what brings the body of a request
 * @param {RequestContext} context
 */
function putContext (source, context) {
  source[CONTEXT] = context
}

/**
 * @param {any} source  of which putContext() was told
 * @returns {RequestContext | undefined}
 */
function contextOn (source) {
  return source[CONTEXT]
}

/**
 * @param {RequestContext} context
 * @returns {boolean} whether the call that began the request has not returned yet: then all that ran since was for it
 */
function isInFirstTurn ({ firstTurn }) {
  return firstTurn !== 0 && firstTurn === executionAsyncId()
}

/**
 * A request of HTTP/2 takes the place of what stood in for it while there was only its stream.
 * @param {any} request
 */
function takePlace (request) {
  const { stream } = request
  const context = stream ? contextOn(stream) : undefined
  if (context !== undefined && /** @type {any} */ (context.request).stream === stream) context.request = request
}

module.exports = { NAME, createRequestContext, contextOn, putContext, isInFirstTurn, takePlace }
