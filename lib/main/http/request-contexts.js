'use strict'

// Every request of every node:http server of the process is worked on in a context of its own, from its first moment and whichever
// way it is seen later: the code before a middleware, what a framework does after the last one, the events of the body, and of a
// WebSocket.

const { monotonicMicros } = require('../../shared/base/monotonic')
const { createRequestChannel } = require('./request-channel')
const { createRouteContext } = require('./route-context')
const { createUpgrades } = require('./upgrades')
const { createFrameworks } = require('./adapters/frameworks')

/** @import { IncomingMessage } from 'node:http' */
/** @import { Readable } from 'node:stream' */
/** @import { RequestContext, RouteContextPart } from './route-context' */

const CONTEXT = Symbol('loopscope.context')

/** @param {{ onRequest?: () => void }} [parts]  onRequest: work on a request begins */
function createRequestContexts ({ onRequest = () => {} } = {}) {
  return new RequestContexts(onRequest)
}

class RequestContexts {
  context = createRouteContext()
  #frameworks = createFrameworks()
  #upgrades
  /** @type {WeakSet<object>} */
  #servers = new WeakSet()
  #channel
  #push

  /** @param {() => void} onRequest */
  constructor (onRequest) {
    this.#push = pushIn(this.context)
    this.#upgrades = createUpgrades((request, socket) => this.#begin(request, socket))
    this.#channel = createRequestChannel(({ request, server }) => {
      if (!this.#servers.has(server)) this.#meet(server)
      if (this.context.current()?.request === request) return // another copy of this package was first
      this.#begin(request, request)
      onRequest()
    })
  }

  start () {
    this.context.start()
    this.#frameworks.start()
    this.#upgrades.start()
    this.#channel.start()
  }

  stop () {
    this.#channel.stop()
    this.#upgrades.stop()
    this.#frameworks.stop()
    this.#servers = new WeakSet()
    this.context.stop()
  }

  /** @param {object} server  that has its first request */
  #meet (server) {
    this.#servers.add(server)
    this.#frameworks.look()
  }

  /**
   * @param {IncomingMessage} request
   * @param {Readable} source  what brings the rest of it: the request, or the socket after an upgrade
   */
  #begin (request, source) {
    /** @type {RequestContext} */
    const requestContext = { request, startMicros: monotonicMicros(), countedBy: null, alsoCountedBy: null }
    // The server goes on in this same call, so there is no function to run inside the context.
    this.context.enter(requestContext)
    keepForBody(source, requestContext, this.#push)
  }
}

/**
 * Replaces a request's own push(): Node.js brings the body from outside of the context that the request was begun in (from the parser's,
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
 * Assigned, not defined: hiding the two from who enumerates it would cost ten times as much.
 * @param {any} source
 * @param {RequestContext} requestContext
 * @param {IncomingMessage['push']} push
 */
function keepForBody (source, requestContext, push) {
  if (Object.hasOwn(source, 'push')) return
  source[CONTEXT] = requestContext
  source.push = push
}

/**
 * @param {any} source
 * @param {unknown} chunk
 * @param {BufferEncoding} [encoding]
 */
function pushAsBefore (source, chunk, encoding) {
  return Object.getPrototypeOf(source).push.call(source, chunk, encoding)
}

module.exports = { createRequestContexts }
