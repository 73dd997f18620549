'use strict'

// A handle's part in the requests of its application: the middleware or the channel that receives them, the context of each, their durations,
// and their routes.

const { share } = require('../../probe/process/process-wide')
const { RouteContext } = require('../../probe/http/contexts/route-context')
const { RequestChannel } = require('../../probe/http/request-channel')
const { createRequestDurations } = require('./request-durations')
const { RequestMeasure } = require('./request-measure')
const { SlowestRequest } = require('../../probe/http/stall-route')
const { createSetRoute } = require('../../probe/http/set-route')

/** @import { Logger } from '../../../types/diagnostics' */
/** @import { MiddlewareOptions, RequestMiddleware } from './middleware' */
/** @import { RequestMeasureOptions } from './request-measure' */

const SHARED_DURATIONS = 'request-durations.3'

class ApplicationRequests {
  #parts
  #context = new RouteContext()
  /** @type {RequestChannel | undefined} */
  #channel
  /** Set where the application uses it. @type {RequestMiddleware | undefined} */
  middleware
  /** Counted for the process: a request that passes two handles is one request. */
  durations
  /** The request or job of this handle whose synchronous code ran longest. */
  slowest
  /** Sets the route template of a request, where the framework does not provide it. Never throws. */
  setRoute

  /**
   * @param {{ logger: Logger } & Required<Pick<MiddlewareOptions, 'stallThresholdMs' | 'onWork' | 'onTaken'>>
   *   & Required<Pick<RequestMeasureOptions, 'onRequest' | 'onAnswered'>>} parts
   */
  constructor (parts) {
    const { logger } = parts
    this.#parts = parts
    this.durations = share(SHARED_DURATIONS, () => createRequestDurations({ logger }))
    this.slowest = new SlowestRequest(parts.stallThresholdMs)
    this.setRoute = createSetRoute({ context: this.#context, logger })
  }

  /** @param {MiddlewareOptions['take']} take  answers requests that are not for the application */
  openMiddleware (take) {
    const { createMiddleware } = require('./middleware') // a preload needs no middleware
    this.middleware = createMiddleware({ ...this.#parts, context: this.#context, requests: this.durations, slowest: this.slowest, take })
    return this.middleware
  }

  /** Counts the requests of every HTTP server of the process. */
  openChannel () {
    const { logger, onRequest, onAnswered } = this.#parts
    const measure = new RequestMeasure({ context: this.#context, requests: this.durations, logger, onRequest, onAnswered })
    this.#channel = new RequestChannel(({ request, response }) => { measure.begin(request, response) })
  }

  takeSlowest () {
    return this.slowest.take()
  }

  start () {
    this.#context.start()
    this.#channel?.start()
  }

  stop () {
    this.#channel?.stop()
    this.#context.stop()
  }
}

module.exports = { ApplicationRequests }
