'use strict'

// Sees every request of every node:http server in the process without touching the application: what `loopscope/register`
// uses in place of the middleware. It gives the same context and the same durations, and leaves alone what is counted.

const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const { guarded } = require('../../shared/base/guard')
const { createRequestMeasure } = require('./request-measure')

/** @import { Logger } from '../../../types/diagnostics' */
/** @import { RequestCounter } from './request-measure' */
/** @import { RouteContextPart } from './route-context' */

const CHANNEL_NAME = 'http.server.request.start'

/**
 * @param {object} parts
 * @param {Pick<RouteContextPart, 'current' | 'enter' | 'running'>} parts.context
 * @param {RequestCounter} parts.requests
 * @param {Pick<Logger, 'warn'>} parts.logger
 * @param {() => void} [parts.onRequest]  work on a request begins
 */
function createRequestChannel ({ context, requests, logger, onRequest }) {
  const measure = createRequestMeasure({ context, requests, logger, onRequest })
  return new RequestChannel(message => {
    const requestContext = measure.begin(message.request, message.response)
    // The server goes on in this same call, so there is no function to run inside the context.
    if (requestContext !== null) context.enter(requestContext)
  })
}

class RequestChannel {
  #running = false
  #onRequest

  /** @param {(message: any) => void} onRequest */
  constructor (onRequest) {
    this.#onRequest = guarded(onRequest)
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

module.exports = { createRequestChannel }
