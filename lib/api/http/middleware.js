'use strict'

// The Express and Connect middleware: work on a request is done in the request's context, and is measured.
// The application's own errors pass through it untouched; an internal error never reaches a request.

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
 * @param {Pick<RouteContext, 'current' | 'run' | 'running' | 'keepFor'>} parts.context  while it is stopped, requests pass by
 * @param {RequestCounter} parts.requests
 * @param {Pick<Logger, 'warn'>} parts.logger
 * @param {number} parts.stallThresholdMs
 * @param {() => void} [parts.onRequest]  work on a request begins
 * @param {import('./request-measure').RequestMeasureOptions['onAnswered']} [parts.onAnswered]
 * @param {(context: RequestContext, fromMicros: number, toMicros: number) => void} [parts.onWork]  its synchronous code has run, for long enough to be
 *   seen by a sampler
 * @param {((request: IncomingMessage, response: ServerResponse) => boolean) | null} [parts.take]  answers what is not for the application
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
 * The request whose synchronous part was the longest since the last take(). It gives a stall its route when the stall was over before anyone
 * could look at the running code. It knows nothing of stalls but their threshold.
 */
class SlowestRequest {
  #minMicros
  #longestMicros
  /** @type {SlowRequest | null} */
  #slowest = null

  /** @param {number} stallThresholdMs */
  constructor (stallThresholdMs) {
    // Less than half of a stall cannot be what a stall is blamed on.
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
   * To be called on every tick of the heartbeat, so that what it returns belongs to the turn of the loop that just ended.
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
