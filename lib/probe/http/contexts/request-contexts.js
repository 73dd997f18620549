'use strict'

// Every request of every server of node:http and node:http2 in the process is worked on in a context of its own, from its first moment and
// whichever way it is seen later: the code before a middleware, what a framework does after the last one, the events of the body, and of
// a WebSocket.

const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const { guarded } = require('../../../base/guard')
const { monotonicMicros } = require('../../../base/monotonic')
const { RequestChannel } = require('../request-channel')
const { ResponseEnds, isServedBy } = require('../response-ends')
const { createRequestContext } = require('./one-request')
const { RouteContext } = require('./route-context')
const { RequestSpans } = require('../../trace-of')
const { FastifyWatch } = require('../adapters/fastify')
const { HonoWatch } = require('../adapters/hono')
const { KoaWatch } = require('../adapters/koa')

/** @import { IncomingMessage, Server, ServerResponse } from 'node:http' */
/** @import { ServerHttp2Stream } from 'node:http2' */
/** @import { Duplex, Readable } from 'node:stream' */

const HTTP2_CHANNEL = 'http2.server.stream.start'
const SOCKET_CHANNEL = 'net.server.socket'
const UPGRADE = 'upgrade'

/** On each server that was met: for each request a property is read, where a set would be searched. */
const MET = Symbol('loopscope.met')

/**
 * @param {object} [parts]
 * @param {() => void} [parts.onRequest]  work on a request begins
 * @param {(micros: number, request: object) => number} [parts.arrivedMicros]  when it may have come that is read now
 * @param {ConstructorParameters<typeof ResponseEnds>[0]} [parts.onUncounted]
 */
function createRequestContexts ({ onRequest = () => {}, arrivedMicros = micros => micros, onUncounted } = {}) {
  return new RequestContexts(onRequest, arrivedMicros, new ResponseEnds(onUncounted))
}

class RequestContexts {
  context = new RouteContext()
  /** That keep the route to themselves. What none of them knows is read from the request: by Express, by Next.js, or masked. */
  #frameworks = [new FastifyWatch(), new KoaWatch(), new HonoWatch()]
  #http2
  #upgrades
  #spans = new RequestSpans()
  /** What servers bear that were met since the start. */
  #met = {}
  #channel
  #arrivedMicros
  #ends

  /**
   * @param {() => void} onRequest
   * @param {(micros: number, request: object) => number} arrivedMicros
   * @param {ResponseEnds} ends
   */
  constructor (onRequest, arrivedMicros, ends) {
    this.#ends = ends
    this.#arrivedMicros = arrivedMicros
    this.#upgrades = new Upgrades((request, socket) => this.#begin(request, socket, null))
    this.#http2 = createHttp2Requests((request, stream) => {
      if (/** @type {any} */ (this.context.current()?.request)?.stream === stream) return // another copy of this package was first
      this.#begin(request, stream, null)
      onRequest()
    })
    this.#channel = new RequestChannel(({ request, response, socket, server }) => {
      if (/** @type {any} */ (server)[MET] !== this.#met) this.#meet(server)
      if (this.context.current()?.request === request) return // another copy of this package was first
      this.#begin(request, request, response, isServedBy(socket, response))
      onRequest()
    })
  }

  start () {
    this.context.start()
    for (const framework of this.#frameworks) framework.start()
    this.#upgrades.start()
    this.#http2.start()
    this.#channel.start()
  }

  stop () {
    this.#channel.stop()
    this.#http2.stop()
    this.#upgrades.stop()
    for (const framework of this.#frameworks) framework.stop()
    this.#spans.stop()
    this.#ends.stop()
    this.#met = {}
    this.context.stop()
  }

  /** @param {Server} server  that has its first request */
  #meet (server) {
    Reflect.defineProperty(server, MET, { value: this.#met, configurable: true, writable: true })
    for (const framework of this.#frameworks) framework.look()
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

/**
 * Requests of HTTP/2 begin with their stream, and have what node:http calls a request only afterwards, if ever: until then some facts stand in
 * for it. Node.js 20 does not tell of streams: there the middleware meets their requests.
 * @param {(request: IncomingMessage, stream: ServerHttp2Stream) => void} onRequest
 */
function createHttp2Requests (onRequest) {
  const onStream = guarded((/** @type {any} */ { stream, headers }) => {
    // A server pushes streams of even numbers, out of work on another request.
    if (stream.id % 2 === 1) onRequest(standInFor(stream, headers), stream)
  })
  return {
    start: () => subscribe(HTTP2_CHANNEL, onStream),
    stop: () => { unsubscribe(HTTP2_CHANNEL, onStream) }
  }
}

/**
 * @param {ServerHttp2Stream} stream
 * @param {any} headers
 * @returns {any} what a route is read from
 */
function standInFor (stream, headers) {
  return { method: headers[':method'], url: headers[':path'], httpVersion: '2.0', headers, stream }
}

/**
 * Requests that become something else (WebSockets): a server tells its own listeners of them and no channel. So one of ours goes before the
 * application's, on servers that have one, and never on others: without a listener Node.js answers such a request as any other.
 */
class Upgrades {
  #onUpgrade
  #onSocket = guarded((/** @type {any} */ message) => this.#meet(message.socket.server))
  /** @type {Map<any, () => void>} servers that we listen to, and how to stop */
  #servers = new Map()

  /** @param {(request: IncomingMessage, socket: Duplex) => void} onUpgrade */
  constructor (onUpgrade) {
    this.#onUpgrade = guarded(onUpgrade)
  }

  start () {
    subscribe(SOCKET_CHANNEL, this.#onSocket)
  }

  stop () {
    unsubscribe(SOCKET_CHANNEL, this.#onSocket)
    for (const stop of this.#servers.values()) stop()
  }

  /** @param {any} server  has a connection: by now the application listens to what it wants */
  #meet (server) {
    if (server === undefined || this.#servers.has(server) || server.listenerCount(UPGRADE) === 0) return
    // Were ours the last one, Node.js would leave such requests to us.
    const whenRemoved = guarded((/** @type {unknown} */ name) => {
      if (name === UPGRADE && server.listenerCount(UPGRADE) === 1) stop()
    })
    const stop = guarded(() => {
      if (!this.#servers.delete(server)) return
      server.removeListener('removeListener', whenRemoved)
      server.removeListener('close', stop)
      server.removeListener(UPGRADE, this.#onUpgrade)
    })
    this.#servers.set(server, stop)
    server.prependListener(UPGRADE, this.#onUpgrade)
    server.on('removeListener', whenRemoved)
    server.on('close', stop)
  }
}

module.exports = { createRequestContexts }
