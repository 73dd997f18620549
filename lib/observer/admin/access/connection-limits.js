'use strict'

// Who keeps a connection to the listener when there are too many. Those who were admitted have places of their own; the others
// share theirs, and one of them goes when another comes: somebody who opens connections and says nothing keeps nobody out.

const { guarded } = require('../../../shared/base/guard')

/** @import { Socket } from 'node:net' */

// Strangers: more than the system's queue (511) can hand over at once, so that nobody goes who had no time to say who he is.
const DEFAULTS = { maxStrangers: 512, maxAdmitted: 64 }

/** @param {{ maxStrangers?: number, maxAdmitted?: number }} [limits] */
function createPlaces (limits) {
  return new Places({ ...DEFAULTS, ...limits })
}

class Places {
  #limits
  /** Oldest first. @type {Set<Socket>} */
  #strangers = new Set()
  /** The one that was idle for longest first. @type {Set<Socket>} */
  #admitted = new Set()
  /** How many requests of each are being answered. @type {WeakMap<Socket, number>} */
  #busy = new WeakMap()

  /** @param {{ maxStrangers: number, maxAdmitted: number }} limits */
  constructor (limits) {
    this.#limits = limits
  }

  /** @param {Socket} socket  that came */
  add (socket) {
    socket.once('close', guarded(() => this.#forget(socket)))
    if (this.#strangers.size >= this.#limits.maxStrangers) this.#makeRoom()
    this.#strangers.add(socket)
  }

  #makeRoom () {
    const others = [...this.#strangers]
    const gone = others.find(one => !this.#busy.has(one)) ?? others[0]
    this.#strangers.delete(gone)
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
      if (this.#admitted.delete(socket)) this.#admitted.add(socket)
    }
  }

  /**
   * Without a place among those who were admitted, where all are being answered, it goes on as a stranger.
   * @param {Socket} socket
   */
  admit (socket) {
    if (!this.#strangers.has(socket)) return
    if (this.#admitted.size >= this.#limits.maxAdmitted) {
      const idle = [...this.#admitted].find(one => !this.#busy.has(one))
      if (idle === undefined) return
      this.#admitted.delete(idle)
      idle.destroy()
    }
    this.#strangers.delete(socket)
    this.#admitted.add(socket)
  }

  /** @param {Socket} socket */
  #forget (socket) {
    this.#strangers.delete(socket)
    this.#admitted.delete(socket)
  }
}

module.exports = { createPlaces }
