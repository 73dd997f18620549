'use strict'

// Every request of every server of node:http and node:http2 in the process is worked on in a context of its own, from its first moment and
// whichever way it is seen later: the code before a middleware, what a framework does after the last one, the events of the body, and of
// a WebSocket.

const { monotonicMicros } = require('../../../shared/base/monotonic')
const { createRequestChannel } = require('../request-channel')
const { createResponseEnds, isServedBy } = require('../response-ends')
const { createRequestContext } = require('./one-request')
const { createRouteContext } = require('./route-context')
const { createRequestSpans } = require('../../tracing/request-spans')
const { createHttp2Requests } = require('./http2-requests')
const { createUpgrades } = require('./upgrades')
const { createFrameworks } = require('../adapters/frameworks')

/** @import { IncomingMessage, Server, ServerResponse } from 'node:http' */
/** @import { Readable } from 'node:stream' */

/** On each server that was met: for each request a property is read, where a set would be searched. */
const MET = Symbol('loopscope.met')

/**
 * @param {object} [parts]
 * @param {() => void} [parts.onRequest]  work on a request begins
 * @param {(micros: number, request: object) => number} [parts.arrivedMicros]  when it may have come that is read now
 * @param {Parameters<typeof createResponseEnds>[0]} [parts.onUncounted]
 */
function createRequestContexts ({ onRequest = () => {}, arrivedMicros = micros => micros, onUncounted } = {}) {
  return new RequestContexts(onRequest, arrivedMicros, createResponseEnds(onUncounted))
}

class RequestContexts {
  context = createRouteContext()
  #frameworks = createFrameworks()
  #http2
  #upgrades
  #spans = createRequestSpans()
  /** What servers bear that were met since the start. */
  #met = {}
  #channel
  #arrivedMicros
  #ends

  /**
   * @param {() => void} onRequest
   * @param {(micros: number, request: object) => number} arrivedMicros
   * @param {ReturnType<typeof createResponseEnds>} ends
   */
  constructor (onRequest, arrivedMicros, ends) {
    this.#ends = ends
    this.#arrivedMicros = arrivedMicros
    this.#upgrades = createUpgrades((request, socket) => this.#begin(request, socket, null))
    this.#http2 = createHttp2Requests((request, stream) => {
      if (/** @type {any} */ (this.context.current()?.request)?.stream === stream) return // another copy of this package was first
      this.#begin(request, stream, null)
      onRequest()
    })
    this.#channel = createRequestChannel(({ request, response, socket, server }) => {
      if (/** @type {any} */ (server)[MET] !== this.#met) this.#meet(server)
      if (this.context.current()?.request === request) return // another copy of this package was first
      this.#begin(request, request, response, isServedBy(socket, response))
      onRequest()
    })
  }

  start () {
    this.context.start()
    this.#frameworks.start()
    this.#upgrades.start()
    this.#http2.start()
    this.#channel.start()
  }

  stop () {
    this.#channel.stop()
    this.#http2.stop()
    this.#upgrades.stop()
    this.#frameworks.stop()
    this.#spans.stop()
    this.#ends.stop()
    this.#met = {}
    this.context.stop()
  }

  /** @param {Server} server  that has its first request */
  #meet (server) {
    Reflect.defineProperty(server, MET, { value: this.#met, configurable: true, writable: true })
    this.#frameworks.look()
    this.#spans.meet(server)
  }

  /**
   * @param {IncomingMessage} request
   * @param {Readable} source  what brings the rest of it: the request, the socket after an upgrade, the stream of HTTP/2
   * @param {ServerResponse | null} response  null: it has none, or none yet
   * @param {boolean} [isServed]  its connection tells of its end
   */
  #begin (request, source, response, isServed = false) {
    const startMicros = monotonicMicros()
    const requestContext = createRequestContext(request, startMicros, this.#arrivedMicros(startMicros, request), isServed ? response : null)
    // The server goes on in this same call, so there is no function to run inside the context.
    this.context.enter(requestContext)
    this.context.keepFor(source, requestContext)
    this.#ends.await(requestContext, source, response)
  }
}

module.exports = { createRequestContexts }
