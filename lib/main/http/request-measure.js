'use strict'

// Counts a request until its response is done, whoever saw it first: the middleware or the channel. Runs for every request of the
// application: it throws nothing and allocates little.

const { monotonicMicros } = require('../../shared/base/monotonic')
const { warnOnce } = require('../../shared/base/warnings')
const { onResponseEnd } = require('./response-end')
const { takePlace } = require('./route-context')
const { methodOf, templateOf } = require('./route-template')

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Logger } from '../../../types/diagnostics' */
/** @import { RequestContext, RouteContextPart } from './route-context' */

// What nginx logs when the connection closed before the response was complete. No server sends it.
const STATUS_CLIENT_CLOSED = 499

const MICROS_PER_SECOND = 1e6

/**
 * @typedef {object} RequestCounter  the part of request durations that is used
 * @property {(method: string, scheme: string) => void} started
 * @property {(request: import('./request-durations').FinishedRequest) => void} finished
 */

/**
 * @typedef {object} RequestMeasureOptions
 * @property {Pick<RouteContextPart, 'current' | 'running' | 'keepFor'>} context  while it is stopped, nothing is measured
 * @property {RequestCounter} requests
 * @property {Pick<Logger, 'warn'>} logger
 * @property {() => void} [onRequest]  work on a request begins
 * @property {(context: RequestContext, route: string, status: number, toMicros: number) => void} [onAnswered]  its route is known
 */

/** @param {RequestMeasureOptions} options */
function createRequestMeasure ({ context, requests, logger, onRequest = () => {}, onAnswered = () => {} }) {
  return new RequestMeasure({ context, requests, logger, onRequest, onAnswered })
}

class RequestMeasure {
  #context
  #requests
  #logger
  #onRequest
  #onAnswered

  /** @param {Required<RequestMeasureOptions>} options */
  constructor ({ context, requests, logger, onRequest, onAnswered }) {
    this.#onRequest = onRequest
    this.#onAnswered = onAnswered
    this.#context = context
    this.#requests = requests
    this.#logger = logger
  }

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @returns {RequestContext | null} what the request is to be worked on in, for the first that counts it; null for others, and when it
   *   cannot be
   */
  begin (request, response) {
    try {
      if (!this.#context.running) return null
      const context = this.#contextOf(request)
      const isFirst = context.countedBy === null
      if (this.#claim(context)) this.#count(context, response)
      return isFirst ? context : null
    } catch (error) {
      warnOnce(this.#logger, 'LOOPSCOPE_WARN_INTERNAL', error)
      return null
    }
  }

  /**
   * Requests that no server began, as far as Node.js tells, get theirs here: simulated ones, and with Node.js 20 those of HTTP/2.
   * @param {IncomingMessage} request
   * @returns {RequestContext}
   */
  #contextOf (request) {
    takePlace(request)
    const current = this.#context.current()
    if (current !== undefined && current.request === request) return current
    this.#onRequest()
    const micros = monotonicMicros()
    const context = { request, startMicros: micros, arrivedMicros: micros, countedBy: null, alsoCountedBy: null }
    const { stream } = /** @type {any} */ (request)
    if (typeof stream?.push === 'function') this.#context.keepFor(stream, context)
    return context
  }

  /**
   * @param {RequestContext} context  of a request that may have come by here, or by another handle, before
   * @returns {boolean} whether it is new to this handle
   */
  #claim (context) {
    if (context.countedBy === this.#requests || context.alsoCountedBy?.has(this.#requests)) return false
    if (context.countedBy === null) {
      context.countedBy = this.#requests
      return true
    }
    context.alsoCountedBy ??= new Set()
    context.alsoCountedBy.add(this.#requests)
    return true
  }

  /**
   * @param {RequestContext} context
   * @param {ServerResponse} response
   */
  #count (context, response) {
    const method = methodOf(context.request)
    const scheme = schemeOf(context.request)
    try {
      onResponseEnd(response, () => this.#finish(context, response, method, scheme))
    } catch (error) {
      // A response that cannot be watched is not counted, and still has its context.
      warnOnce(this.#logger, 'LOOPSCOPE_WARN_INTERNAL', error)
      return
    }
    this.#requests.started(method, scheme)
  }

  /**
   * @param {RequestContext} context
   * @param {ServerResponse} response
   * @param {string} method
   * @param {string} scheme
   */
  #finish (context, response, method, scheme) {
    try {
      const status = isComplete(response) ? response.statusCode : STATUS_CLIENT_CLOSED
      const toMicros = monotonicMicros()
      const seconds = (toMicros - context.startMicros) / MICROS_PER_SECOND
      const route = templateOf(context.request, status)
      this.#requests.finished({ method, route, status, seconds, scheme })
      this.#onAnswered(context, `${method} ${route}`, status, toMicros)
    } catch (error) {
      warnOnce(this.#logger, 'LOOPSCOPE_WARN_INTERNAL', error)
    }
  }
}

/** @param {ServerResponse} response */
function isComplete (response) {
  // HTTP/2 responses say that they are finished as soon as their stream is gone, but never that they were ended.
  return response.writableFinished !== false && response.writableEnded !== false
}

/** @param {any} request */
function schemeOf (request) {
  return request.socket?.encrypted === true ? 'https' : 'http'
}

module.exports = { createRequestMeasure, STATUS_CLIENT_CLOSED }
