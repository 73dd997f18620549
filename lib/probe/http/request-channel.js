'use strict'

// Reports the beginning of every request of every node:http server in the process, without a change to the application.

const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const { reportFault } = require('../../base/guard')

/** @import { IncomingMessage, Server, ServerResponse } from 'node:http' */
/** @import { Socket } from 'node:net' */

const CHANNEL_NAME = 'http.server.request.start'

/** @typedef {(start: { request: IncomingMessage, response: ServerResponse, socket: Socket, server: Server }) => void} OnRequest */

class RequestChannel {
  #running = false
  #onRequest

  /** @param {OnRequest} onRequest */
  constructor (onRequest) {
    this.#onRequest = (/** @type {any} */ start) => {
      try {
        onRequest(start)
      } catch (error) {
        reportFault(error)
      }
    }
  }

  get running () { return this.#running }

  start () {
    if (this.#running) return
    this.#running = true
    subscribe(CHANNEL_NAME, this.#onRequest)
  }

  stop () {
    if (!this.#running) return
    this.#running = false
    unsubscribe(CHANNEL_NAME, this.#onRequest)
  }
}

module.exports = { RequestChannel }
