'use strict'

// The route of a request: its method, and the template of its path as far as anybody knows it: the application itself, the framework
// that matched it, else the path with its values taken out. A value of a path never shows in it, and nothing is thrown.

const { expressTemplate, isOnePath } = require('./express-template')
const { maskedTemplate, pathnameOf } = require('./mask-path')
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

// Next.js notes on a request which of its pages or route handlers matched.
const NEXT_META = Symbol.for('NextInternalRequestMeta')

const MAX_OPERATIONS = 50
const MAX_READ = 4096 // characters of a document of GraphQL

// A definition, whose name is followed by variables, directives or fields: not the words of a search.
const DEFINITION = /\b(query|mutation|subscription)\s+([_A-Za-z]\w{0,63})\s*[({@]/g
const OPERATION_NAME = /^[_A-Za-z]\w{0,63}$/

/** Operations that have a name in a route. @type {Set<string>} */
const operations = new Set()

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
 * @param {any} request
 * @returns {string | undefined} `/api/stall/[id]`
 */
function nextTemplate (request) {
  const template = request[NEXT_META]?.match?.definition?.pathname
  return typeof template === 'string' ? template : undefined
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

/**
 * The operation of a GraphQL request, by its name: all of them come to one path. Read only from a body that the application has had parsed; the
 * name is a client's choice, so it must look like one, and there is a bound on how many are told apart.
 * @param {any} request
 * @param {any} [subject]  what the framework makes of it
 * @returns {string} ` query Orders`; nothing where there is no operation with a name
 */
function operationOf (request, subject) {
  const body = request.body ?? subject?.body ?? subject?.request?.body
  if (typeof body?.query !== 'string') return ''
  const operation = nameOperation(body.query.slice(0, MAX_READ), body.operationName)
  if (operation === null || (!operations.has(operation) && operations.size === MAX_OPERATIONS)) return ''
  operations.add(operation)
  return ` ${operation}`
}

/**
 * @param {string} document
 * @param {unknown} wanted  the operation's name where the document defines several
 */
function nameOperation (document, wanted) {
  const isNamed = typeof wanted === 'string' && OPERATION_NAME.test(wanted)
  for (const [, kind, name] of document.matchAll(DEFINITION)) {
    if (!isNamed || name === wanted) return `${kind} ${name}`
  }
  return null
}

module.exports = { FINISHED, answeredTemplate, handlersOf, isFinished, routeOf, templateOf, methodOf, UNMATCHED }
