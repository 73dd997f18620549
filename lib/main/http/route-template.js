'use strict'

// The route of a request: its method, and the template of its path as far as anybody knows it: the application itself, the framework
// that matched it, else the path with its values taken out. A value of a path never shows in it, and no fault of ours comes out.

const { expressTemplate, isOnePath } = require('./express/express-template')
const { nextTemplate } = require('./adapters/next')
const { operationOf } = require('./graphql-operation')
const { maskedTemplate } = require('./mask-path')
const { pathnameOf } = require('./pathname')
const { toldIn, toldOf } = require('./told-route')

/** @import { RequestContext } from './contexts/one-request' */
/** @import { Told } from './told-route' */

/** What stands in for a finished request bears it: its route is known, and nothing else of it. */
const FINISHED = Symbol('loopscope.finished')

const UNMATCHED = '_unmatched'
const OTHER_METHOD = '_OTHER'

// The methods of RFC 9110, PATCH (RFC 5789) and QUERY: what OpenTelemetry counts as known. A client may invent others.
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE', 'QUERY'])
const BODILESS = new Set(['GET', 'HEAD'])

const STATUS_NOT_FOUND = 404

/**
 * @param {any} request
 * @returns {string} `METHOD /path/:template`; `METHOD _unmatched` for a request that no route answers
 */
function routeOf (request) {
  return `${methodOf(request)} ${templateOf(request)}`
}

/**
 * @param {{ method?: any }} request  or its context
 * @returns {string} a known method as sent, else '_OTHER'
 */
function methodOf ({ method }) {
  return METHODS.has(method) ? method : OTHER_METHOD
}

/**
 * @param {any} request
 * @returns {string} the path template without the method, and the name of the operation of GraphQL
 */
function templateOf (request) {
  try {
    return resolve(request, request.method, toldOf(request))
  } catch {
    return UNMATCHED
  }
}

/**
 * The same for every request that is answered: of the request itself it asks as little as possible.
 * @param {RequestContext} context
 * @param {number} status  of the answer
 */
function answeredTemplate (context, status) {
  try {
    return resolve(context.request, context.method, toldIn(context), status)
  } catch {
    return UNMATCHED
  }
}

/**
 * @param {any} request
 * @param {any} method
 * @param {Told | undefined} told
 * @param {number} [status]
 */
function resolve (request, method, told, status) {
  const template = told?.template ?? knownTemplate(request, told)
  if (template === null || template === '') return UNMATCHED
  // Whoever looks for holes asks for any path, and is told so: only what was answered has a name.
  const found = template ?? (status === STATUS_NOT_FOUND ? null : masked(request))
  if (found === null) return UNMATCHED
  return BODILESS.has(method) ? found : found + operationOf(request, told?.subject)
}

/**
 * @param {any} request
 * @param {Told | undefined} told
 * @returns {string | null | undefined}
 */
function knownTemplate (request, told) {
  const template = told?.framework?.readTemplate(told.subject)
  if (typeof template === 'string') return template
  const route = template === null ? undefined : request.route
  if (isOnePath(route)) return expressTemplate(request, route)
  return nextTemplate(request) ?? (template === null ? null : expressTemplate(request, route))
}

/**
 * The functions that answer the route of a request: the application's own middleware of it, and its handler.
 * @param {any} request
 * @returns {Function[]} outermost first; none where the framework does not tell
 */
function handlersOf (request) {
  try {
    const told = toldOf(request)
    const found = told?.framework?.readHandlers(told.subject) ?? request.route?.stack?.map((/** @type {any} */ layer) => layer.handle) ?? []
    return found.filter((/** @type {unknown} */ handler) => typeof handler === 'function')
  } catch {
    return []
  }
}

/** @param {any} request  also what stands in for one */
function isFinished (request) {
  return request[FINISHED] === true
}

/** @param {any} request */
function masked (request) {
  const path = pathnameOf(request)
  return path[0] === '/' ? maskedTemplate(path, request.params) : null
}

module.exports = { FINISHED, answeredTemplate, handlersOf, isFinished, routeOf, templateOf, methodOf, UNMATCHED }
