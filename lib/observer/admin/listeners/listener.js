'use strict'

// The admin surface's own server, on a port or a Unix socket, in the observer thread.

const { once } = require('node:events')
const http = require('node:http')
const { guarded } = require('../../../shared/base/guard')
const { exchange } = require('../../../shared/admin/exchange')
const { createConnectionLimits } = require('../access/connection-limits')
const { listen, listenOnSocket } = require('./socket-path')
const { splitTarget } = require('../../../shared/admin/target')

/** @import { ListenAddress } from '../../../main/admin/address' */
/** @import { AdminResponse } from '../../../shared/admin/responses' */
/** @import { RequestHandler } from '../../../shared/admin/exchange' */

// To be sent in; the answer may take longer. Node looks every half a minute unless told otherwise, whatever the limits are.
const LIMITS = { headersMs: 5000, requestMs: 30_000, checkMs: 2000 }

/**
 * @param {object} parts
 * @param {ListenAddress} parts.address
 * @param {string} parts.basePath  also taken as a prefix, so that paths are the same as behind the mounted door
 * @param {RequestHandler} parts.handle
 * @param {Partial<typeof LIMITS>} [parts.limits]
 * @param {ReturnType<typeof createConnectionLimits>} [parts.connections]
 */
function createListener (parts) {
  return new Listener(parts)
}

class Listener {
  #parts
  #connections
  /** @type {http.Server | undefined} */
  #server

  /** @param {Parameters<typeof createListener>[0]} parts */
  constructor (parts) {
    this.#parts = parts
    this.#connections = parts.connections ?? createConnectionLimits()
  }

  get running () { return this.#server !== undefined }

  /**
   * @returns {Promise<string>} its address as a URL, or as a path
   * @throws what listening says: a port in use, a path that may not be written
   */
  async start () {
    const { address, limits } = this.#parts
    const server = createServer((incoming, outgoing) => this.#serve(incoming, outgoing), limits)
    server.on('connection', guarded(socket => this.#connections.add(socket)))
    this.#server = server
    if ('socketPath' in address) {
      await listenOnSocket(server, address.socketPath)
      return address.socketPath
    }
    await listen(server, { ...address, exclusive: true })
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
    return `http://${address.host.includes(':') ? `[${address.host}]` : address.host}:${port}`
  }

  async stop () {
    const server = this.#server
    this.#server = undefined
    if (server === undefined || !server.listening) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }

  /**
   * @param {http.IncomingMessage} incoming
   * @param {http.ServerResponse} outgoing
   */
  async #serve (incoming, outgoing) {
    const { basePath } = this.#parts
    const target = incoming.url ?? '/'
    const location = splitTarget(target, basePath) ?? splitTarget(target, '') ?? { base: '', path: target, query: '' }
    await exchange(incoming, outgoing, { door: 'listener', ...location },
      (request, signal) => this.#respond(incoming.socket, request, signal))
  }

  /**
   * Who is turned away does not keep the connection.
   * @param {import('node:net').Socket} socket
   * @param {Parameters<RequestHandler>[0]} request
   * @param {AbortSignal} signal  the answer is over
   * @returns {Promise<AdminResponse>}
   */
  async #respond (socket, request, signal) {
    signal.addEventListener('abort', guarded(this.#connections.begin(socket)), { once: true })
    let isAuthorized = false
    const response = await this.#parts.handle(request, signal, () => {
      isAuthorized = true
      this.#connections.authorize(socket)
    })
    return isAuthorized ? response : { ...response, headers: { ...response.headers, Connection: 'close' } }
  }
}

/**
 * @param {(incoming: http.IncomingMessage, outgoing: http.ServerResponse) => Promise<void>} serve
 * @param {Partial<typeof LIMITS>} [limits]
 */
function createServer (serve, limits) {
  const { headersMs, requestMs, checkMs } = { ...LIMITS, ...limits }
  const server = http.createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
    insecureHTTPParser: false
  }, guarded(serve))
  server.on('clientError', guarded((_, socket) => socket.destroy()))
  return server
}

module.exports = { createListener, createServer }
