'use strict'

// Tells once of each response that is done, sent or not. A response that a server of node:http has made needs no listener of its own for
// that: node:diagnostics_channel tells when it is sent, and its connection, when that closes, that it never will be. on-finished knows every
// other kind of response, but its listeners, queue and AsyncResource cost 3 to 4.5 µs a request on Node 24, more than all else here.

const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const onFinished = require('on-finished')
const { guarded, reportFault } = require('../../shared/base/guard')
const { contextOn, putContext } = require('./body-context')

/** @import { IncomingMessage, ServerResponse as Response } from 'node:http' */
/** @import { RequestContext } from './route-context' */

/** Taken when there is a response: a process without a server is spared node:http. @type {unknown} */
let ServerResponse

const CHANNEL_NAME = 'http.server.response.finish'

/** On a connection: the response that has it, while that is waited for. */
const AWAITED = Symbol('loopscope.response')

/** @typedef {(context: RequestContext, response: Response, isSent: boolean) => void} OnEnd */

/** @param {OnEnd} onEnd  throws nothing */
function createResponseEnds (onEnd) {
  return new ResponseEnds(onEnd)
}

class ResponseEnds {
  #onEnd
  #awaited = 0
  #isSubscribed = false
  #isStopped = true

  /** @param {OnEnd} onEnd */
  constructor (onEnd) {
    this.#onEnd = onEnd
  }

  /**
   * @param {RequestContext} context
   * @param {Response} response
   */
  await (context, response) {
    if (context.endsWith !== null || !isServed(context.request, response)) {
      onFinished(response, () => this.#onEnd(context, response, isSent(response)))
      return
    }
    this.#start()
    this.#awaited++
    context.endsWith = this
    putContext(context.request, context)
    awaitClose(context.request.socket, response)
  }

  /** Responses that are under way are still told of. */
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
    /** @type {any} */
    const socket = context.request.socket
    socket[AWAITED] = null
    context.endsWith = null
    this.#awaited--
    this.#onEnd(context, response, wasSent)
    if (this.#isStopped) this.#leave()
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

  #onFinish = (/** @type {any} */ { request, response }) => {
    try {
      const context = contextOn(request)
      if (context !== undefined && context.endsWith === this) this.end(context, response, true)
    } catch (error) {
      reportFault(error)
    }
  }
}

/**
 * One listener for each connection, however many requests come by it.
 * @param {any} socket
 * @param {Response} response  that has it
 */
function awaitClose (socket, response) {
  if (socket[AWAITED] === undefined) socket.on('close', onClose)
  socket[AWAITED] = response
}

const onClose = guarded(
  /** @this {any} */
  function () {
    const response = this[AWAITED]
    if (!response) return
    const context = contextOn(response.req)
    context?.endsWith?.end(context, response, isSent(response))
  }
)

/**
 * Frameworks change a response's prototype, subclasses (HTTP/2, simulated and serverless responses) its constructor. Only a response that has
 * its connection is closed with it, or one that is about to get it: others wait behind it in a pipeline. node:net and node:http set `server`.
 * @param {IncomingMessage} request
 * @param {any} response
 */
function isServed (request, response) {
  ServerResponse ??= process.getBuiltinModule('node:http').ServerResponse
  if (response.constructor !== ServerResponse || response.req !== request || response.writableEnded || response.destroyed) return false
  /** @type {any} */
  const socket = request.socket
  return socket?.server !== undefined && (response.socket === socket || (response.socket === null && !socket._httpMessage))
}

/** @param {Response} response */
function isSent (response) {
  // HTTP/2 responses say that they are finished as soon as their stream is gone, but never that they were ended.
  return response.writableFinished !== false && response.writableEnded !== false
}

module.exports = { createResponseEnds }
