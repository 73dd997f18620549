'use strict'

// The Express and Connect middleware: runs work on a request in the request's context, and measures it. The application's own errors pass through
// it untouched; an internal error never reaches a request.

const { monotonicMicros } = require('../../base/monotonic')
const { createRequestMeasure } = require('./request-measure')
const { isInFirstTurn } = require('../../probe/http/contexts/one-request')

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Logger, Middleware } from '../../../types/diagnostics' */
/** @import { RequestCounter } from './request-measure' */
/** @import { RequestContext } from '../../probe/http/contexts/one-request' */
/** @import { RouteContext } from '../../probe/http/contexts/route-context' */

const MIN_WORK_MICROS = 1000 // a tenth of the time between two samples

/**
 * @typedef {object} SlowRequest
 * @property {RequestContext} context
 * @property {number} fromMicros
 * @property {number} toMicros
 */

/**
 * @typedef {Middleware & { slowest: { take (): SlowRequest | null } }} RequestMiddleware
 */

/**
 * @param {object} parts
 * @param {Pick<RouteContext, 'current' | 'run' | 'running' | 'keepFor'>} parts.context  while it is stopped, requests pass unmeasured
 * @param {RequestCounter} parts.requests
 * @param {Pick<Logger, 'warn'>} parts.logger
 * @param {number} parts.stallThresholdMs
 * @param {() => void} [parts.onRequest]  called when work on a request begins
 * @param {import('./request-measure').RequestMeasureOptions['onAnswered']} [parts.onAnswered]
 * @param {(context: RequestContext, fromMicros: number, toMicros: number) => void} [parts.onWork]  called after its synchronous code has run, if long
 *   enough to be sampled
 * @param {((request: IncomingMessage, response: ServerResponse) => boolean) | null} [parts.take]  answers requests that are not for the application
 * @returns {RequestMiddleware}
 */
function createMiddleware ({ context, requests, logger, stallThresholdMs, onRequest, onAnswered, onWork = () => {}, take = null }) {
  const measure = createRequestMeasure({ context, requests, logger, onRequest, onAnswered })
  const slowest = new SlowestRequest(stallThresholdMs)

  /** @type {Middleware} */
  function loopscope (request, response, next) {
    if (take !== null && take(request, response)) return
    const current = context.current()
    const requestContext = measure.begin(request, response, current)
    if (requestContext === null) return next()
    const fromMicros = isInFirstTurn(requestContext) ? requestContext.startMicros : monotonicMicros()
    try {
      return requestContext === current ? next() : context.run(requestContext, next)
    } finally {
      const toMicros = monotonicMicros()
      slowest.note(requestContext, fromMicros, toMicros)
      if (toMicros - fromMicros >= MIN_WORK_MICROS) onWork(requestContext, fromMicros, toMicros)
    }
  }

  return Object.assign(loopscope, { slowest })
}

/**
 * The request with the longest synchronous part since the last take(). It provides the route of a stall that was over before the running code could
 * be probed. It uses nothing of stalls but their threshold.
 */
class SlowestRequest {
  #minMicros
  #longestMicros
  /** @type {SlowRequest | null} */
  #slowest = null

  /** @param {number} stallThresholdMs */
  constructor (stallThresholdMs) {
    // A stall is never attributed to less than half of its threshold.
    this.#minMicros = stallThresholdMs * 1e3 / 2
    this.#longestMicros = this.#minMicros
  }

  /**
   * @param {RequestContext} context
   * @param {number} fromMicros
   * @param {number} toMicros
   */
  note (context, fromMicros, toMicros) {
    if (toMicros - fromMicros < this.#longestMicros) return
    this.#longestMicros = toMicros - fromMicros
    this.#slowest = { context, fromMicros, toMicros }
  }

  /**
   * Call it on every tick of the heartbeat: the result then belongs to the turn of the loop that just ended.
   * @returns {SlowRequest | null}
   */
  take () {
    const slowest = this.#slowest
    this.#slowest = null
    this.#longestMicros = this.#minMicros
    return slowest
  }
}

module.exports = { SlowestRequest, createMiddleware }
