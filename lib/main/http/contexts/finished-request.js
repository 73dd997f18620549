'use strict'

// Lets go of a request whose response has ended. What it leaves behind (a promise that stays pending, a timer) keeps its context for as long
// as it lives itself, so from then on the context holds what late work is asked for: the route and the trace. Requests of one route share it.

const { createRequestContext } = require('./one-request')
const { FINISHED, answeredTemplate, isFinished, methodOf } = require('../route-template')
const { sayTemplate } = require('../told-route')
const { putSpan, spansOf } = require('../../tracing/trace-of')

/** @import { RequestContext } from './one-request' */

// Clients choose what some routes are called.
const MAX_SHARED = 1000

/** By route. @type {Map<string, RequestContext>} */
const shared = new Map()

/**
 * @param {RequestContext} context
 * @param {number} status  of its response
 */
function finishRequest (context, status) {
  if (isFinished(context.request)) return
  const finished = finishedContext(context, context.route ?? `${methodOf(context)} ${answeredTemplate(context, status)}`)
  context.holder.context = finished
  context.request = finished.request
  context.told = undefined
  context.response = null
  context.socket = null
  context.onEnd = null
}

/**
 * @param {RequestContext} context
 * @param {string} route
 */
function finishedContext ({ request }, route) {
  const [span = null] = spansOf(request)
  const traceparent = request.headers?.traceparent
  if (span !== null || traceparent !== undefined) return createFinished(route, { traceparent }, span)
  const known = shared.get(route)
  if (known !== undefined) return known
  const made = createFinished(route, {}, null)
  if (shared.size < MAX_SHARED) shared.set(route, made)
  return made
}

/**
 * @param {string} route
 * @param {object} headers
 * @param {ReturnType<typeof spansOf>[number] | null} span
 */
function createFinished (route, headers, span) {
  const space = route.indexOf(' ')
  /** @type {any} */
  const request = { method: route.slice(0, space), url: '', headers, [FINISHED]: true }
  sayTemplate(request, route.slice(space + 1))
  putSpan(request, span)
  const context = createRequestContext(request, 0, 0)
  context.firstTurn = 0
  return context
}

module.exports = { finishRequest }
