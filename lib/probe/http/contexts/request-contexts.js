'use strict'

// Runs every request of every node:http and node:http2 server of the process in a context of its own, from its first moment. The context also
// covers the code before a middleware, framework code after the last one, the events of the body, and those of a WebSocket.

const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const { guarded } = require('../../../base/guard')
const { monotonicMicros } = require('../../../base/monotonic')
const { RequestChannel } = require('../request-channel')
const { ResponseEnds, isServedBy } = require('../response-ends')
const { InFlight } = require('../in-flight')
const { createRequestContext } = require('./one-request')
const { RouteContext } = require('./route-context')
const { RequestSpans } = require('../../trace-of')
const { FrameworkWatch } = require('../set-route')
const { FastifyWatch } = require('../adapters/fastify')
const { HAPI_REQUESTS } = require('../adapters/hapi')
const { HonoWatch } = require('../adapters/hono')
const { KOA_CONTEXTS } = require('../adapters/koa')

/** @import { IncomingMessage, Server, ServerResponse } from 'node:http' */
/** @import { ServerHttp2Stream } from 'node:http2' */
/** @import { Duplex, Readable } from 'node:stream' */
/** @import { RequestContext } from './one-request' */

const HTTP2_CHANNEL = 'http2.server.stream.start'
const SOCKET_CHANNEL = 'net.server.socket'
const UPGRADE = 'upgrade'

/** Marks each server already seen: reading a property on each request is cheaper than searching a set. */
const WATCHED = Symbol('loopscope.watched')

/**
 * @param {object} [parts]
 * @param {() => void} [parts.onRequest]  called when work on a request begins
 * @param {(micros: number, request: object) => number} [parts.arrivedMicros]  when a request that is read now may have arrived
 * @param {ConstructorParameters<typeof ResponseEnds>[0]} [parts.onUncounted]
 */
function createRequestContexts ({ onRequest = () => {}, arrivedMicros = micros => micros, onUncounted } = {}) {
  const inFlight = new InFlight()
  return new RequestContexts({ onRequest, arrivedMicros, inFlight, ends: new ResponseEnds(onUncounted, (context, response) => inFlight.abandon(context, response)) })
}

class RequestContexts {
  context = new RouteContext()
  /** The requests that these contexts are of, until they are answered. */
  inFlight
  /** Frameworks whose route is not on the request. For others it is read from the request (Express, Next.js), or masked. */
  #frameworks = [new FastifyWatch(), new FrameworkWatch(KOA_CONTEXTS), new FrameworkWatch(HAPI_REQUESTS), new HonoWatch()]
  #http2
  #upgrades
  #spans = new RequestSpans()
  /** The mark on servers seen since the start. */
  #watchMark = {}
  #channel
  #arrivedMicros
  #ends

  /**
   * @param {object} parts
   * @param {() => void} parts.onRequest
   * @param {(micros: number, request: object) => number} parts.arrivedMicros
   * @param {InFlight} parts.inFlight
   * @param {ResponseEnds} parts.ends
   */
  constructor ({ onRequest, arrivedMicros, inFlight, ends }) {
    this.inFlight = inFlight
    this.#ends = ends
    this.#arrivedMicros = arrivedMicros
    this.#upgrades = new Upgrades((request, socket) => this.#begin(request, socket, null, false, this.inFlight.upgraded))
    this.#http2 = createHttp2Requests((request, stream) => {
      if (/** @type {any} */ (this.context.current()?.request)?.stream === stream) return // another copy of this package came first
      this.#begin(request, stream, null)
      onRequest()
    })
    this.#channel = new RequestChannel(({ request, response, socket, server }) => {
      if (/** @type {any} */ (server)[WATCHED] !== this.#watchMark) this.#watchServer(server)
      if (this.context.current()?.request === request) return // another copy of this package came first
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
    this.#watchMark = {}
    this.context.stop()
  }

  /** @param {Server} server  with its first request */
  #watchServer (server) {
    Reflect.defineProperty(server, WATCHED, { value: this.#watchMark, configurable: true, writable: true })
    for (const framework of this.#frameworks) framework.attachToLoaded()
    this.#spans.watchServer(server)
  }

  /**
   * @param {IncomingMessage} request
   * @param {Readable} source  the source of the rest of it: the request, the socket after an upgrade, or the HTTP/2 stream
   * @param {ServerResponse | null} response  null: no response, or none yet
   * @param {boolean} [isServed]  its connection reports its end
   * @param {{ add (context: RequestContext): void }} [list]
   */
  #begin (request, source, response, isServed = false, list = this.inFlight.requests) {
    const startMicros = monotonicMicros()
    const requestContext = createRequestContext(request, startMicros, this.#arrivedMicros(startMicros, request), isServed ? response : null)
    // The server goes on in this same call, so there is no function to run inside the context.
    this.context.enter(requestContext)
    this.context.keepFor(source, requestContext)
    this.#ends.await(requestContext, source, response)
    list.add(requestContext)
  }
}

/**
 * HTTP/2 requests begin with their stream; the object that node:http calls a request exists only later, if ever. Until then a stand-in with
 * a few facts is used. Node.js 20 does not publish streams: there the middleware sees their requests first.
 * @param {(request: IncomingMessage, stream: ServerHttp2Stream) => void} onRequest
 */
function createHttp2Requests (onRequest) {
  const onStream = guarded((/** @type {any} */ { stream, headers }) => {
    // Streams with even numbers are pushed by the server, while it handles another request.
    if (stream.id % 2 === 1) onRequest(standInFor(stream, headers), stream)
  })
  return {
    start: () => subscribe(HTTP2_CHANNEL, onStream),
    stop: () => { unsubscribe(HTTP2_CHANNEL, onStream) }
  }
}

/** @param {ServerHttp2Stream} stream @param {any} headers @returns {any} the stand-in that a route is read from */
function standInFor (stream, headers) {
  return { method: headers[':method'], url: headers[':path'], httpVersion: '2.0', headers, stream }
}

/**
 * Upgraded requests (WebSockets): a server reports them only to its own listeners, on no channel. So loopscope adds a listener before the
 * application's, only on servers that have one: without a listener Node.js answers such a request like any other.
 */
class Upgrades {
  #onUpgrade
  #onSocket = guarded((/** @type {any} */ message) => this.#watchServer(message.socket.server))
  /** @type {Map<any, () => void>} servers with loopscope's listener, and how to remove it */
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

  /** @param {any} server  with a connection: by now the application has added its listeners */
  #watchServer (server) {
    if (server === undefined || this.#servers.has(server) || server.listenerCount(UPGRADE) === 0) return
    // If loopscope's were the last listener, Node.js would leave such requests to it.
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
