'use strict'

// Counts a request until its response is done, whether the middleware or the channel receives it first. It runs for every request of the
// application: it throws nothing and allocates little.

const { monotonicMicros } = require('../../base/monotonic')
const { warnOnce } = require('../../base/warnings')
const { isEventStream, whenEnded } = require('../../probe/http/response-ends')
const { contextOn, createRequestContext, replaceStandIn } = require('../../probe/http/contexts/one-request')
const { answeredTemplate, isFinished, methodOf } = require('../../probe/http/route-template')
const { STATUS_CLIENT_CLOSED } = require('../../shared/requests/request-batch')

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Logger } from '../../../types/diagnostics' */
/** @import { Active } from './request-durations' */
/** @import { RequestContext } from '../../probe/http/contexts/one-request' */
/** @import { RouteContext } from '../../probe/http/contexts/route-context' */

const MICROS_PER_SECOND = 1e6
// Shorter ones do not matter to how long a route takes.
const LONG_SECONDS = 0.1

/**
 * @typedef {object} RequestCounter  the part of RequestDurations that is used
 * @property {(method: string, scheme: 'http' | 'https') => Active} started
 * @property {(request: import('./request-durations').FinishedRequest) => string} finished  returns the name of its route
 * @property {(name: string) => void} noteEndless  of a route
 */

/**
 * @typedef {object} RequestMeasureOptions
 * @property {Pick<RouteContext, 'current' | 'running' | 'keepFor'>} context  while it is stopped, nothing is measured
 * @property {RequestCounter} requests
 * @property {Pick<Logger, 'warn'>} logger
 * @property {(context: RequestContext) => void} [onRequest]  called when work begins on a request that Node.js did not report
 * @property {(context: RequestContext, route: string, status: number, toMicros: number) => void} [onAnswered]  called when it is answered and its
 *   route is resolved
 */

class RequestMeasure {
  #context
  #requests
  #logger
  #onRequest
  #onAnswered

  /** @param {RequestMeasureOptions} options */
  constructor ({ context, requests, logger, onRequest = () => {}, onAnswered = () => {} }) {
    this.#onRequest = onRequest
    this.#onAnswered = onAnswered
    this.#context = context
    this.#requests = requests
    this.#logger = logger
  }

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @param {RequestContext | undefined} [current]  context of the running code
   * @returns {RequestContext | null} the context to run the request in, for the first caller that counts it; null for others, and when that
   *   fails
   */
  begin (request, response, current = this.#context.current()) {
    try {
      if (!this.#context.running) return null
      const context = this.#contextOf(request, current)
      const isFirst = context.countedBy === null
      if (this.#claim(context)) this.#count(context, response)
      return isFirst ? context : null
    } catch (error) {
      warnOnce(this.#logger, 'LOOPSCOPE_WARN_INTERNAL', error)
      return null
    }
  }

  /**
   * Requests without a context, because Node.js did not report their begin, get one here: simulated ones, and in Node.js 20 those of HTTP/2.
   * @param {IncomingMessage} request
   * @param {RequestContext | undefined} current
   * @returns {RequestContext}
   */
  #contextOf (request, current) {
    if (current?.request === request) return current
    replaceStandIn(request)
    if (current?.request === request) return current
    const own = contextOn(request)
    if (own !== undefined && isFinished(own.request)) return own
    const micros = monotonicMicros()
    const context = createRequestContext(request, micros, micros)
    this.#onRequest(context)
    const { stream } = /** @type {any} */ (request)
    if (typeof stream?.push === 'function') this.#context.keepFor(stream, context)
    return context
  }

  /**
   * @param {RequestContext} context  of a request that this or another handle may have counted before
   * @returns {boolean} whether it is new to this handle
   */
  #claim (context) {
    if (context.countedBy === this.#requests || context.alsoCountedBy?.has(this.#requests)) return false
    if (context.countedBy === null) context.countedBy = this.#requests
    else (context.alsoCountedBy ??= new Map()).set(this.#requests, null)
    return true
  }

  /** @param {RequestContext} context @param {ServerResponse} response */
  #count (context, response) {
    try {
      whenEnded(context, response, this.#finish)
    } catch (error) {
      // A response that cannot be observed is not counted, but still has its context.
      warnOnce(this.#logger, 'LOOPSCOPE_WARN_INTERNAL', error)
      return
    }
    const active = this.#requests.started(methodOf(context), schemeOf(context))
    if (context.countedBy === this.#requests) context.active = active
    else context.alsoCountedBy?.set(this.#requests, active)
  }

  /** @param {RequestContext} context @param {ServerResponse} response @param {boolean} isSent */
  #finish = (context, response, isSent) => {
    try {
      const status = isSent ? response.statusCode : STATUS_CLIENT_CLOSED
      const toMicros = monotonicMicros()
      const seconds = (toMicros - context.startMicros) / MICROS_PER_SECOND
      const active = context.countedBy === this.#requests ? context.active : context.alsoCountedBy?.get(this.#requests)
      if (!active) return
      const route = this.#requests.finished({ active, route: answeredTemplate(context, status), status, seconds })
      context.route = route
      if (seconds >= LONG_SECONDS && isEventStream(response)) this.#requests.noteEndless(route)
      this.#onAnswered(context, route, status, toMicros)
    } catch (error) {
      warnOnce(this.#logger, 'LOOPSCOPE_WARN_INTERNAL', error)
    }
  }
}

/** @param {RequestContext} context @returns {'http' | 'https'} */
function schemeOf ({ request, socket }) {
  /** @type {any} */
  const connection = socket ?? request.socket
  return connection?.encrypted === true ? 'https' : 'http'
}

module.exports = { RequestMeasure }
