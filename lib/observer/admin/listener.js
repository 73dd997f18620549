'use strict'

// The admin surface's own server, on a port or a Unix socket, in the observer thread: its address, and which connections it keeps.

const { once } = require('node:events')
const http = require('node:http')
const { listen, listenOnSocket } = require('./socket-path')
const { exchange, splitTarget } = require('../../shared/admin/exchange')
const { MAX_WORKERS } = require('../../shared/admin/worker-group')
const { errors } = require('../../base/errors')
const { guarded } = require('../../base/guard')

/** @import { ListenAddress } from '../../api/options/admin-settings' */
/** @import { Socket } from 'node:net' */
/** @import { RequestHandler } from '../../shared/admin/exchange' */
/** @import { AdminResponse } from '../../shared/admin/responses' */

// Limits for receiving a request; the response may take longer. By default Node checks only every 30 s, whatever the limits are.
const TIME_LIMITS = { headersMs: 5000, requestMs: 30_000, checkMs: 2000 }

// Unauthorized: more than the system's queue (511) can deliver at once, so that none is closed before it could send its token.
const CONNECTION_LIMITS = { maxUnauthorized: 512, maxAuthorized: 64 }

class Listener {
  #parts
  #connections
  /** @type {http.Server | undefined} */
  #server

  /**
   * @param {object} parts
   * @param {ListenAddress} parts.address
   * @param {string} parts.basePath  also accepted as a prefix, so that paths are the same as at the mounted endpoint
   * @param {RequestHandler} parts.handle
   * @param {Partial<typeof TIME_LIMITS>} [parts.limits]
   * @param {ConnectionLimits} [parts.connections]
   */
  constructor (parts) {
    this.#parts = parts
    this.#connections = parts.connections ?? new ConnectionLimits()
  }

  get running () { return this.#server !== undefined }

  /**
   * @returns {Promise<string>} its address as a URL, or as a path
   * @throws the error of listen(): a port in use, a path that is not writable
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

  /** @param {http.IncomingMessage} incoming @param {http.ServerResponse} outgoing */
  async #serve (incoming, outgoing) {
    const { basePath } = this.#parts
    const target = incoming.url ?? '/'
    const location = splitTarget(target, basePath) ?? splitTarget(target, '') ?? { base: '', path: target, query: '' }
    await exchange(incoming, outgoing, { endpoint: 'listener', ...location },
      (request, signal) => this.#respond(incoming.socket, request, signal))
  }

  /**
   * A refused request does not keep its connection.
   * @param {import('node:net').Socket} socket
   * @param {Parameters<RequestHandler>[0]} request
   * @param {AbortSignal} signal  the response is over
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
 * @param {Partial<typeof TIME_LIMITS>} [limits]
 */
function createServer (serve, limits) {
  const { headersMs, requestMs, checkMs } = { ...TIME_LIMITS, ...limits }
  const server = http.createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
    insecureHTTPParser: false
  }, guarded(serve))
  server.on('clientError', guarded((_, socket) => socket.destroy()))
  return server
}

/**
 * Decides which connections are kept when there are too many. Those with an authorized request have a limit of their own; of the others the oldest
 * is closed when a new one comes: so a client that opens connections and sends nothing locks no one out.
 */
class ConnectionLimits {
  #limits
  /** Oldest first. @type {Set<Socket>} */
  #unauthorized = new Set()
  /** Longest idle first. @type {Set<Socket>} */
  #authorized = new Set()
  /** Requests in flight per connection. @type {WeakMap<Socket, number>} */
  #busy = new WeakMap()

  /** @param {Partial<typeof CONNECTION_LIMITS>} [limits] */
  constructor (limits) {
    this.#limits = { ...CONNECTION_LIMITS, ...limits }
  }

  /** @param {Socket} socket  a new connection */
  add (socket) {
    socket.once('close', guarded(() => this.#forget(socket)))
    if (this.#unauthorized.size >= this.#limits.maxUnauthorized) this.#makeRoom()
    this.#unauthorized.add(socket)
  }

  #makeRoom () {
    const others = [...this.#unauthorized]
    const gone = others.find(one => !this.#busy.has(one)) ?? others[0]
    this.#unauthorized.delete(gone)
    gone.destroy()
  }

  /**
   * Call it when a complete request of the connection begins to be answered; one that is still being received does not count.
   * @param {Socket} socket
   * @returns {() => void} call it at the end of the response
   */
  begin (socket) {
    this.#busy.set(socket, (this.#busy.get(socket) ?? 0) + 1)
    return () => {
      const left = (this.#busy.get(socket) ?? 1) - 1
      if (left > 0) this.#busy.set(socket, left)
      else this.#busy.delete(socket)
      if (this.#authorized.delete(socket)) this.#authorized.add(socket)
    }
  }

  /**
   * A request of the connection was authorized. If the limit is reached, and all authorized ones are busy, it stays with the others.
   * @param {Socket} socket
   */
  authorize (socket) {
    if (!this.#unauthorized.has(socket)) return
    if (this.#authorized.size >= this.#limits.maxAuthorized) {
      const idle = [...this.#authorized].find(one => !this.#busy.has(one))
      if (idle === undefined) return
      this.#authorized.delete(idle)
      idle.destroy()
    }
    this.#unauthorized.delete(socket)
    this.#authorized.add(socket)
  }

  /** @param {Socket} socket */
  #forget (socket) {
    this.#unauthorized.delete(socket)
    this.#authorized.delete(socket)
  }
}

/**
 * The address of a worker's listener: base port + number. If another program listens on that port, no other port is tried.
 * @typedef {object} WorkerFacts  of a process that has siblings, plain data
 * @property {number | null} clusterId   of node:cluster; grows with each replaced worker
 * @property {{ id: string, instance: number } | null} pm2
 *
 * @param {ListenAddress} address  from the option
 * @param {WorkerFacts} worker
 * @param {Pick<ReturnType<typeof import('../../shared/admin/worker-group').createWorkerGroup>, 'number' | 'takeOver'>} group
 * @param {AbortSignal} signal
 * @returns {Promise<ListenAddress>}
 * @throws ERR_LOOPSCOPE_SOCKET_UNUSABLE
 */
async function workerAddress (address, worker, group, signal) {
  // Port 0 means any free port, for every worker.
  if ('socketPath' in address || address.port === 0) return address
  const number = await numberOf(worker, group, signal)
  if (number > MAX_WORKERS) {
    const reason = `each worker has its own, at most ${MAX_WORKERS} of them`
    throw new errors.ERR_LOOPSCOPE_SOCKET_UNUSABLE(`a port from ${address.port} on`, reason)
  }
  return { ...address, port: address.port + number }
}

/** @param {WorkerFacts} worker @param {Parameters<typeof workerAddress>[2]} group @param {AbortSignal} signal */
async function numberOf ({ clusterId, pm2 }, group, signal) {
  try {
    if (pm2 === null) return group.number()
    await group.takeOver(`pm2-${pm2.id}`, signal)
  } catch (error) {
    if (signal.aborted) throw error // otherwise there is no directory for it: then at least the numbers of never replaced workers agree
  }
  return pm2?.instance ?? clusterId ?? 0
}

module.exports = { ConnectionLimits, Listener, createServer, workerAddress }
