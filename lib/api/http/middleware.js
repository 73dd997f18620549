'use strict'

// The Express and Connect middleware: runs work on a request in the request's context, and measures it. The application's own errors pass through
// it untouched; an internal error never reaches a request.

const { monotonicMicros } = require('../../base/monotonic')
const { RequestMeasure } = require('./request-measure')
const { MIN_WORK_MICROS, isInFirstTurn } = require('../../probe/http/contexts/one-request')
const { SlowestRequest } = require('../../probe/http/stall-route')

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Middleware } from '../../../types/diagnostics' */
/** @import { RequestMeasureOptions } from './request-measure' */
/** @import { RequestContext } from '../../probe/http/contexts/one-request' */
/** @import { RouteContext } from '../../probe/http/contexts/route-context' */

/** @typedef {Middleware & { slowest: Pick<SlowestRequest, 'take'> }} RequestMiddleware */

/**
 * @typedef {object} MiddlewareOptions
 * @property {Pick<RouteContext, 'current' | 'run' | 'running' | 'keepFor'>} context  while it is stopped, requests pass unmeasured
 * @property {number} stallThresholdMs
 * @property {Pick<SlowestRequest, 'note' | 'take'>} [slowest]
 * @property {(context: RequestContext, fromMicros: number, toMicros: number) => void} [onWork]  called after its synchronous code has run, if long
 *   enough to be sampled
 * @property {((request: IncomingMessage, response: ServerResponse) => boolean) | null} [take]  answers requests that are not for the application
 * @property {(context: RequestContext) => void} [onTaken]  called with the context of such a request, where it has one
 */

/** @param {MiddlewareOptions & Omit<RequestMeasureOptions, 'context'>} options @returns {RequestMiddleware} */
function createMiddleware ({ context, requests, logger, stallThresholdMs, slowest = new SlowestRequest(stallThresholdMs), onRequest, onAnswered, onWork = () => {}, onTaken = () => {}, take = null }) {
  const measure = new RequestMeasure({ context, requests, logger, onRequest, onAnswered })

  /** @type {Middleware} */
  function loopscope (request, response, next) {
    const current = context.current()
    if (take !== null && take(request, response)) {
      if (current !== undefined) onTaken(current)
      return
    }
    const requestContext = measure.begin(request, response, current)
    if (requestContext === null) return next()
    const fromMicros = isInFirstTurn(requestContext) ? requestContext.startMicros : monotonicMicros()
    try {
      return requestContext === current ? next() : context.run(requestContext, next)
    } finally {
      const toMicros = monotonicMicros()
      requestContext.turnMicros = toMicros - fromMicros
      slowest.note(requestContext, fromMicros, toMicros)
      if (toMicros - fromMicros >= MIN_WORK_MICROS) onWork(requestContext, fromMicros, toMicros)
    }
  }

  return Object.assign(loopscope, { slowest })
}

module.exports = { createMiddleware }
