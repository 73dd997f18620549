'use strict'

// Requests that become something else (WebSockets): a server tells its own listeners of them and no channel. So one of ours goes before
// the application's, on servers that have one, and never on others: without a listener Node.js answers such a request as any other.

const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const { guarded } = require('../../../shared/base/guard')

/** @import { IncomingMessage } from 'node:http' */
/** @import { Duplex } from 'node:stream' */

const CHANNEL_NAME = 'net.server.socket'
const EVENT = 'upgrade'

/** @param {(request: IncomingMessage, socket: Duplex) => void} onUpgrade */
function createUpgrades (onUpgrade) {
  return new Upgrades(onUpgrade)
}

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
    subscribe(CHANNEL_NAME, this.#onSocket)
  }

  stop () {
    unsubscribe(CHANNEL_NAME, this.#onSocket)
    for (const stop of this.#servers.values()) stop()
  }

  /** @param {any} server  has a connection: by now the application listens to what it wants */
  #meet (server) {
    if (server === undefined || this.#servers.has(server) || server.listenerCount(EVENT) === 0) return
    // Were ours the last one, Node.js would leave such requests to us.
    const whenRemoved = guarded((/** @type {unknown} */ name) => {
      if (name === EVENT && server.listenerCount(EVENT) === 1) stop()
    })
    const stop = guarded(() => {
      if (!this.#servers.delete(server)) return
      server.removeListener('removeListener', whenRemoved)
      server.removeListener('close', stop)
      server.removeListener(EVENT, this.#onUpgrade)
    })
    this.#servers.set(server, stop)
    server.prependListener(EVENT, this.#onUpgrade)
    server.on('removeListener', whenRemoved)
    server.on('close', stop)
  }
}

module.exports = { createUpgrades }
