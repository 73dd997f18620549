'use strict'

// Who keeps a connection to the listener when there are too many. Those whose request was authorized have a limit of their own; of
// the others the oldest goes when another comes: somebody who opens connections and says nothing keeps nobody out.

const { guarded } = require('../../../shared/base/guard')

/** @import { Socket } from 'node:net' */

// Unauthorized: more than the system's queue (511) can hand over at once, so that nobody goes who had no time to say who he is.
const DEFAULTS = { maxUnauthorized: 512, maxAuthorized: 64 }

/** @param {{ maxUnauthorized?: number, maxAuthorized?: number }} [limits] */
function createConnectionLimits (limits) {
  return new ConnectionLimits({ ...DEFAULTS, ...limits })
}

class ConnectionLimits {
  #limits
  /** Oldest first. @type {Set<Socket>} */
  #unauthorized = new Set()
  /** The one that was idle for longest first. @type {Set<Socket>} */
  #authorized = new Set()
  /** How many requests of each are being answered. @type {WeakMap<Socket, number>} */
  #busy = new WeakMap()

  /** @param {{ maxUnauthorized: number, maxAuthorized: number }} limits */
  constructor (limits) {
    this.#limits = limits
  }

  /** @param {Socket} socket  that came */
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
   * A request of it is being answered; one that is still being sent does not count.
   * @param {Socket} socket
   * @returns {() => void} to be called when it is over
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
   * A request of it was authorized. Where the limit is reached, and all of those are being answered, it stays with the others.
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

module.exports = { createConnectionLimits }
