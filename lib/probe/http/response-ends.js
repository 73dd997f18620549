'use strict'

// Detects when a response is done, sent or not, and then releases its request. A response created by a node:http server needs no listener of its
// own: node:diagnostics_channel reports when it is sent, and the close of its connection that it never will be. on-finished covers every other kind
// of response, but its listeners, queue and AsyncResource cost 3 to 4.5 µs a request on Node 24, more than everything else here.

const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const onFinished = require('on-finished')
const { attempt, guarded, reportFault } = require('../../base/guard')
const { putSpan, spansOf } = require('../trace-of')
const { createRequestContext, isInFirstTurn } = require('./contexts/one-request')
const { FINISHED, ROUTE, answeredTemplate, isFinished, methodOf } = require('./route-template')
const { setRouteTemplate } = require('./set-route')

/** @import { ServerResponse as Response } from 'node:http' */
/** @import { Socket } from 'node:net' */
/** @import { Readable } from 'node:stream' */
/** @import { OnEnd, RequestContext } from './contexts/one-request' */

/** Set with the first response, so that a process without a server does not load node:http. @type {unknown} */
let ServerResponse

const CHANNEL_NAME = 'http.server.response.finish'

/**
 * On a connection, from its first request on. One property, assigned then: each later one would give some connections another shape, for which V8
 * optimizes Node's code again (1 µs a request).
 */
const CONNECTION = Symbol('loopscope.connection')

/**
 * @typedef {object} Connection
 * @property {RequestContext | null} awaited  of the request whose response uses it, until that response ends
 * @property {number} number  in the log of requests; 0: none yet
 */

// Requests of one route share one finished context; clients choose some route names.
const MAX_SHARED = 1000
const NO_STATUS = 0

/** Contexts of finished requests, by route. @type {Map<string, RequestContext>} */
const finishedByRoute = new Map()

class ResponseEnds {
  #onUncounted
  #onAbandoned
  #awaited = 0
  #isSubscribed = false
  #isStopped = true

  /**
   * @param {(context: RequestContext) => void} [onUncounted]  a request that no handle counted is about to be released
   * @param {(context: RequestContext, response: Response) => void} [onAbandoned]  a request was released because its client is gone, while its
   *   handler may still work
   */
  constructor (onUncounted = () => {}, onAbandoned = () => {}) {
    this.#onUncounted = onUncounted
    this.#onAbandoned = onAbandoned
  }

  /**
   * @param {RequestContext} context  that has just begun
   * @param {Readable} source   the source of the rest of its request
   * @param {Response | null} response
   */
  await (context, source, response) {
    if (context.response !== null) {
      this.#start()
      this.#awaited++
      context.endsWith = this
      return awaitClose(context)
    }
    // The handles that count it listen as well, and run later.
    const finish = guarded(async () => {
      await null
      this.#finish(context, response?.statusCode ?? 0)
    })
    if (response !== null) onFinished(response, finish)
    else source.once('close', finish)
  }

  /** Responses in flight are still awaited. */
  stop () {
    this.#isStopped = true
    this.#leave()
  }

  /**
   * @param {RequestContext} context  whose response is awaited here
   * @param {Response} response
   * @param {boolean} wasSent
   */
  end (context, response, wasSent) {
    /** @type {Connection} */ (context.connection).awaited = null
    context.endsWith = null
    this.#awaited--
    // The application may have replaced any property by one that throws: the request has ended all the same.
    try {
      context.onEnd?.(context, response, wasSent)
    } finally {
      this.#finish(context, attempt(() => response.statusCode, NO_STATUS))
    }
    if (!wasSent && !attempt(() => response.writableEnded, true)) this.#onAbandoned(context, response)
    if (this.#isStopped) this.#leave()
  }

  /** @param {RequestContext} context @param {number} status */
  #finish (context, status) {
    try {
      if (context.route === null) this.#onUncounted(context)
    } finally {
      finishRequest(context, status)
    }
  }

  #start () {
    this.#isStopped = false
    if (this.#isSubscribed) return
    this.#isSubscribed = true
    subscribe(CHANNEL_NAME, this.#onFinish)
  }

  #leave () {
    if (!this.#isSubscribed || this.#awaited > 0) return
    this.#isSubscribed = false
    unsubscribe(CHANNEL_NAME, this.#onFinish)
  }

  #onFinish = (/** @type {any} */ { response, socket }) => {
    try {
      const context = connectionOf(socket)?.awaited
      if (context && context.response === response && context.endsWith === this) this.end(context, response, true)
    } catch (error) {
      reportFault(error)
    }
  }
}

/**
 * Calls a function when a response is done.
 * @param {RequestContext} context
 * @param {Response} response
 * @param {OnEnd} onEnd  throws nothing
 */
function whenEnded (context, response, onEnd) {
  if (context.endsWith !== null && context.onEnd === null && context.response === response && !mayHaveEnded(context)) {
    context.onEnd = onEnd
    return
  }
  onFinished(response, guarded(() => {
    onEnd(context, response, isSent(response))
    if (context.endsWith === null) finishRequest(context, response.statusCode)
  }))
}

/** One listener per connection, however many requests use it. @param {RequestContext} context */
function awaitClose (context) {
  /** @type {any} */
  const socket = context.socket
  let connection = connectionOf(socket)
  if (connection === undefined) {
    connection = socket[CONNECTION] = { awaited: null, number: 0 }
    socket.on('close', onClose)
  }
  connection.awaited = context
  context.connection = connection
}

/** @param {any} socket @returns {Connection | undefined} undefined: no request on it whose end it reports has begun */
function connectionOf (socket) {
  return socket[CONNECTION]
}

const onClose = guarded(
  /** @this {any} */
  function () {
    const context = connectionOf(this)?.awaited
    if (!context?.endsWith) return
    const response = /** @type {Response} */ (context.response)
    context.endsWith.end(context, response, attempt(() => isSent(response), false))
  }
)

/**
 * Call it when Node.js begins a request. Subclasses end in their own ways. Only a response that is about to get its connection is closed with
 * it: others wait behind it in a pipeline.
 * @param {any} socket  of the request
 * @param {any} response
 */
function isServedBy (socket, response) {
  ServerResponse ??= process.getBuiltinModule('node:http').ServerResponse
  return response.constructor === ServerResponse && !socket._httpMessage
}

/**
 * While the call that began the request has not returned, no response has been reported as sent.
 * @param {RequestContext} context  of a response that has its connection
 */
function mayHaveEnded (context) {
  const { response, socket } = context
  if (isInFirstTurn(context)) return /** @type {Socket} */ (socket).destroyed
  return /** @type {Response} */ (response).writableEnded || /** @type {Response} */ (response).destroyed
}

/** @param {Response} response */
function isSent (response) {
  // HTTP/2 responses are finished as soon as their stream is gone, but never report that they were ended.
  return response.writableFinished !== false && response.writableEnded !== false
}

/**
 * Releases a request. What it leaves behind (a pending promise, a timer) retains its context, so from then on the context holds only what late work
 * needs: the route and the trace.
 * @param {RequestContext} context
 * @param {number} status  of its response
 */
function finishRequest (context, status) {
  context.listedIn?.remove(context)
  if (isFinished(context.request)) return
  const finished = finishedContext(context, context.route ?? `${methodOf(context)} ${answeredTemplate(context, status)}`)
  context.holder.context = finished
  context.request = finished.request
  context.routeFacts = undefined
  context.response = null
  context.socket = null
  context.connection = null
  context.onEnd = null
  context.waits?.clear()
  context.waits = null
}

/** @param {RequestContext} context @param {string} route */
function finishedContext ({ request }, route) {
  const [span = null] = spansOf(request)
  const traceparent = request.headers?.traceparent
  if (span !== null || traceparent !== undefined) return createFinished(route, { traceparent }, span)
  const known = finishedByRoute.get(route)
  if (known !== undefined) return known
  const made = createFinished(route, {}, null)
  if (finishedByRoute.size < MAX_SHARED) finishedByRoute.set(route, made)
  return made
}

/** @param {string} route @param {object} headers @param {ReturnType<typeof spansOf>[number] | null} span */
function createFinished (route, headers, span) {
  const space = route.indexOf(' ')
  /** @type {any} */
  const request = { method: route.slice(0, space), url: '', headers, [FINISHED]: true, [ROUTE]: route }
  setRouteTemplate(request, route.slice(space + 1))
  putSpan(request, span)
  const context = createRequestContext(request, 0, 0)
  context.firstTurn = 0
  return context
}

const EVENT_STREAM = /^content-type: *text\/event-stream/im

/**
 * Server-sent events go on for as long as their client wants: that is not slow.
 * @param {any} response  its headers are only in their text where writeHead() was given them
 */
function isEventStream (response) {
  return EVENT_STREAM.test(response?._header ?? '')
}

module.exports = { ResponseEnds, connectionOf, finishRequest, isEventStream, isServedBy, whenEnded }
