'use strict'

// Every request of every node:http server of the process is worked on in a context of its own, from its first moment and whichever
// way it is seen later: the code before a middleware, what a framework does after the last one, and the events of the body.

const { monotonicMicros } = require('../../shared/base/monotonic')
const { createRequestChannel } = require('./request-channel')
const { createRouteContext } = require('./route-context')

/** @import { IncomingMessage } from 'node:http' */
/** @import { RequestContext, RouteContextPart } from './route-context' */

const CONTEXT = Symbol('loopscope.context')

/** @param {{ onRequest?: () => void }} [parts]  onRequest: work on a request begins */
function createRequestContexts ({ onRequest = () => {} } = {}) {
  return new RequestContexts(onRequest)
}

class RequestContexts {
  context = createRouteContext()
  #channel
  #push

  /** @param {() => void} onRequest */
  constructor (onRequest) {
    this.#push = pushIn(this.context)
    this.#channel = createRequestChannel(({ request }) => {
      if (this.context.current()?.request === request) return // another copy of this package was first
      this.#begin(request)
      onRequest()
    })
  }

  start () {
    this.context.start()
    this.#channel.start()
  }

  stop () {
    this.#channel.stop()
    this.context.stop()
  }

  /** @param {IncomingMessage} request */
  #begin (request) {
    /** @type {RequestContext} */
    const requestContext = { request, startMicros: monotonicMicros(), countedBy: null, alsoCountedBy: null }
    // The server goes on in this same call, so there is no function to run inside the context.
    this.context.enter(requestContext)
    keepForBody(request, requestContext, this.#push)
  }
}

/**
 * In place of a request's own: Node.js brings the body from outside of the context that the request was begun in (from the parser's,
 * where contexts are AsyncContextFrames; else from wherever the connection was made).
 * @param {RouteContextPart} context
 * @returns {IncomingMessage['push']}
 */
function pushIn (context) {
  /**
   * @this {any}
   * @param {unknown} chunk
   * @param {BufferEncoding} [encoding]
   */
  return function push (chunk, encoding) {
    return context.run(this[CONTEXT], pushAsBefore, this, chunk, encoding)
  }
}

/**
 * Assigned, not defined: hiding the two from who enumerates a request would cost ten times as much.
 * @param {any} request
 * @param {RequestContext} requestContext
 * @param {IncomingMessage['push']} push
 */
function keepForBody (request, requestContext, push) {
  if (Object.hasOwn(request, 'push')) return
  request[CONTEXT] = requestContext
  request.push = push
}

/**
 * @param {any} request
 * @param {unknown} chunk
 * @param {BufferEncoding} [encoding]
 */
function pushAsBefore (request, chunk, encoding) {
  return Object.getPrototypeOf(request).push.call(request, chunk, encoding)
}

module.exports = { createRequestContexts }
