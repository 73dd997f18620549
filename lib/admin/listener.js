'use strict'

// The admin surface's own server, on a port or a Unix socket, in the observer thread.

const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const { exchange } = require('./exchange')
const { claimSocketPath } = require('./socket-path')
const { splitTarget } = require('./target')

/** @import { ListenAddress } from './address' */
/** @import { Handle } from './exchange' */

// Somebody who opens connections and says nothing must not keep others out for long.
const MAX_CONNECTIONS = 100
const HEADERS_MS = 10_000
const REQUEST_MS = 30_000
const OWNER_ONLY = 0o600

/**
 * @param {object} parts
 * @param {ListenAddress} parts.address
 * @param {string} parts.basePath  also taken as a prefix, so that paths are the same as behind the mounted door
 * @param {Handle} parts.handle
 */
function createListener (parts) {
  return new Listener(parts)
}

class Listener {
  #parts
  /** @type {http.Server | undefined} */
  #server

  /** @param {Parameters<typeof createListener>[0]} parts */
  constructor (parts) {
    this.#parts = parts
  }

  get running () { return this.#server !== undefined }

  /**
   * @returns {Promise<string>} its address as a URL, or as a path
   * @throws what listening says: a port in use, a path that may not be written
   */
  async start () {
    const { address } = this.#parts
    const server = createServer((incoming, outgoing) => this.#serve(incoming, outgoing))
    this.#server = server
    if ('socketPath' in address) await claimSocketPath(address.socketPath)
    server.listen('socketPath' in address ? { path: address.socketPath } : { ...address, exclusive: true })
    await once(server, 'listening')
    server.unref()
    if ('socketPath' in address) {
      fs.chmodSync(address.socketPath, OWNER_ONLY)
      return address.socketPath
    }
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
  #serve (incoming, outgoing) {
    const { basePath, handle } = this.#parts
    const target = incoming.url ?? '/'
    const place = splitTarget(target, basePath) ?? splitTarget(target, '') ?? { base: '', path: target, query: '' }
    exchange(incoming, outgoing, { door: 'listener', ...place }, handle)
  }
}

/** @param {http.RequestListener} serve */
function createServer (serve) {
  const server = http.createServer({ headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, insecureHTTPParser: false }, serve)
  server.maxConnections = MAX_CONNECTIONS
  server.on('clientError', (_, socket) => socket.destroy())
  return server
}

module.exports = { createListener, createServer }
