'use strict'

// The Express and Connect middleware: work on a request is done in the request's context, and is measured.
// The application's own errors pass through it untouched; a fault of ours never reaches a request.

const { monotonicMicros } = require('../../shared/base/monotonic')
const { createRequestMeasure } = require('./request-measure')
const { isInFirstTurn } = require('./contexts/one-request')
const { routeOf } = require('./route-template')

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Logger, Middleware } from '../../../types/diagnostics' */
/** @import { RequestCounter } from './request-measure' */
/** @import { RequestContext } from './contexts/one-request' */
/** @import { RouteContext } from './contexts/route-context' */

const MIN_WORK_MICROS = 1000 // a tenth of the time between two samples
const MAX_ENTRIES = 5000 // a window of five seconds holds no more of a millisecond each

/** @typedef {{ fromMicros: number, toMicros: number, route: string }} Work */
/**
 * @typedef {object} SlowRequest
 * @property {RequestContext} context
 * @property {number} fromMicros
 * @property {number} toMicros
 */

/**
 * @typedef {Middleware & { slowest: { take (): SlowRequest | null }, workLog: { take (): Work[] } }} RequestMiddleware
 */

/**
 * @param {object} parts
 * @param {Pick<RouteContext, 'current' | 'run' | 'running' | 'keepFor'>} parts.context  while it is stopped, requests pass by
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
  const slowest = new SlowestRequest(stallThresholdMs)
  const workLog = new WorkLog(onWork)

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

/**
 * When which request's synchronous code ran: what the samples of a profile are matched with to get their routes. It holds what ran since it was
 * last taken, and only what is long enough for a sampler to see.
 */
class WorkLog {
  /** @type {{ context: RequestContext, fromMicros: number, toMicros: number }[]} */
  #entries = []
  #onWork

  /** @param {(context: RequestContext, fromMicros: number, toMicros: number) => void} [onWork]  for whoever else wants them */
  constructor (onWork = () => {}) {
    this.#onWork = onWork
  }

  /**
   * @param {RequestContext} context
   * @param {number} fromMicros
   * @param {number} toMicros
   */
  note (context, fromMicros, toMicros) {
    if (toMicros - fromMicros < MIN_WORK_MICROS) return
    this.#onWork(context, fromMicros, toMicros)
    if (this.#entries.length < MAX_ENTRIES) this.#entries.push({ context, fromMicros, toMicros })
  }

  /**
   * The routes are asked for now and not when the work was done: by then the router may not have known them.
   * @returns {Work[]} in order of time
   */
  take () {
    const entries = this.#entries
    this.#entries = []
    return entries.map(({ context, fromMicros, toMicros }) => ({ fromMicros, toMicros, route: routeOf(context.request) }))
  }
}

module.exports = { SlowestRequest, WorkLog, createMiddleware }
