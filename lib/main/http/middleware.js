'use strict'

// The Express and Connect middleware: work on a request is done in the request's context, and is measured.
// The application's own errors pass through it untouched; a fault of ours never reaches a request.

const { monotonicMicros } = require('../../shared/base/monotonic')
const { createRequestMeasure } = require('./request-measure')
const { isInFirstTurn } = require('./contexts/one-request')
const { createSlowestRequest } = require('./slowest-request')
const { createWorkLog } = require('./work-log')

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Logger, Middleware } from '../../../types/diagnostics' */
/** @import { RequestCounter } from './request-measure' */
/** @import { RequestContext } from './contexts/one-request' */
/** @import { RouteContextPart } from './contexts/route-context' */
/** @import { SlowRequest } from './slowest-request' */
/** @import { Work } from './work-log' */

/**
 * @typedef {Middleware & { slowest: { take (): SlowRequest | null }, workLog: { take (): Work[] } }} RequestMiddleware
 */

/**
 * @param {object} parts
 * @param {Pick<RouteContextPart, 'current' | 'run' | 'running' | 'keepFor'>} parts.context  while it is stopped, requests pass by
 * @param {RequestCounter} parts.requests
 * @param {Pick<Logger, 'warn'>} parts.logger
 * @param {number} parts.stallThresholdMs
 * @param {() => void} [parts.onRequest]  work on a request begins
 * @param {import('./request-measure').RequestMeasureOptions['onAnswered']} [parts.onAnswered]
 * @param {(context: RequestContext, fromMicros: number, toMicros: number) => void} [parts.onWork]  its synchronous code has run
 * @param {((request: IncomingMessage, response: ServerResponse) => boolean) | null} [parts.take]  answers what is not for the application
 * @returns {RequestMiddleware}
 */
function createMiddleware ({ context, requests, logger, stallThresholdMs, onRequest, onAnswered, onWork, take = null }) {
  const measure = createRequestMeasure({ context, requests, logger, onRequest, onAnswered })
  const slowest = createSlowestRequest(stallThresholdMs)
  const workLog = createWorkLog({ onWork })

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
      workLog.note(requestContext, fromMicros, toMicros)
    }
  }

  return Object.assign(loopscope, { slowest, workLog })
}

module.exports = { createMiddleware }
