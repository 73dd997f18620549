'use strict'

// The route of a request: its method, and the template of its path: set by the application, or from the framework that matched it, or else the path
// with its values masked. It never contains a value of a path, and nothing throws.

const { expressTemplate, isEveryPath, isOnePath } = require('./express-template')
const { maskedTemplate, pathnameOf, shortMask } = require('./mask-path')
const { routeFactsIn, routeFactsOf } = require('./set-route')

/** @import { RequestContext } from './contexts/one-request' */
/** @import { RouteFacts } from './set-route' */

/** Marks the stand-in of a finished request, which has its route and nothing else. */
const FINISHED = Symbol('loopscope.finished')

/** On the stand-in of a job: its route. Copies of this package share it. */
const ROUTE = Symbol.for('loopscope.route')

const UNMATCHED = '_unmatched'
const OTHER_METHOD = '_OTHER'

// The methods of RFC 9110, PATCH (RFC 5789) and QUERY: the methods that OpenTelemetry defines. A client may invent others.
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE', 'QUERY'])
const BODILESS = new Set(['GET', 'HEAD'])

const STATUS_NOT_FOUND = 404

// Next.js records on a request which of its pages or route handlers matched.
const NEXT_META = Symbol.for('NextInternalRequestMeta')

const MAX_OPERATIONS = 50
const MAX_READ = 4096 // characters of a GraphQL document

// A definition, whose name is followed by variables, directives or fields: not words in a search query.
const DEFINITION = /\b(query|mutation|subscription)\s+([_A-Za-z]\w{0,63})\s*[({@]/g
const OPERATION_NAME = /^[_A-Za-z]\w{0,63}$/

/** Operation names used in routes. @type {Set<string>} */
const operations = new Set()

/**
 * @param {any} request
 * @returns {string} `METHOD /path/:template`; `METHOD _unmatched` for a request that no route answers
 */
function routeOf (request) {
  return namedRoute(request) ?? `${methodOf(request)} ${templateOf(request)}`
}

/**
 * The route of a request that is not answered yet, for a reader: unlike routeOf(), it registers no name.
 * @param {any} request
 * @returns {string | null} null: the router has not found it yet, or there is none
 */
function routeInFlight (request) {
  const named = namedRoute(request)
  if (named !== undefined) return named
  try {
    const routeFacts = routeFactsOf(request)
    const known = routeFacts?.template ?? knownTemplate(request, routeFacts)
    const path = known === undefined ? pathnameOf(request) : ''
    const template = path[0] === '/' ? shortMask(path, request.params) : known
    return template ? `${methodOf(request)} ${template}` : null
  } catch {
    return null
  }
}

/**
 * @param {{ method?: any }} request  or its context
 * @returns {string} a standard method as sent, else '_OTHER'
 */
function methodOf ({ method }) {
  return METHODS.has(method) ? method : OTHER_METHOD
}

/**
 * @param {any} request
 * @returns {string} the path template without the method, and the name of the GraphQL operation
 */
function templateOf (request) {
  try {
    return resolve(request, request.method, routeFactsOf(request))
  } catch {
    return UNMATCHED
  }
}

/**
 * The same for every request that is answered: it reads as little as possible from the request itself.
 * @param {RequestContext} context
 * @param {number} status  of the response
 */
function answeredTemplate (context, status) {
  try {
    return resolve(context.request, context.method, routeFactsIn(context), status)
  } catch {
    return UNMATCHED
  }
}

/** @param {any} request @param {any} method @param {RouteFacts | undefined} routeFacts @param {number} [status] */
function resolve (request, method, routeFacts, status) {
  const template = routeFacts?.template ?? knownTemplate(request, routeFacts)
  if (template === '' || (template === null && !isAnsweredBelow(request, status))) return UNMATCHED
  // A scanner requests any path, and gets 404: only an answered path gets a name.
  const found = template ?? (status === STATUS_NOT_FOUND ? null : masked(request))
  if (found === null) return UNMATCHED
  return BODILESS.has(method) ? found : found + operationOf(request, routeFacts?.subject)
}

/**
 * Whether a middleware of Express answered, and not with a file: another framework, such as Feathers or LoopBack, has the routes.
 * @param {any} request
 * @param {number} [status]
 */
function isAnsweredBelow (request, status = STATUS_NOT_FOUND) {
  const isRefused = status >= 400 && status < 500
  return !isRefused && typeof request.app?.set === 'function' && request.res?.hasHeader('last-modified') === false
}

/** @param {any} request @param {RouteFacts | undefined} routeFacts @returns {string | null | undefined} */
function knownTemplate (request, routeFacts) {
  const template = routeFacts?.framework?.readTemplate(routeFacts.subject)
  if (typeof template === 'string') return template
  const route = template === null ? undefined : request.route
  if (isOnePath(route)) return expressTemplate(request, route)
  const ofNext = nextTemplate(request)
  if (ofNext !== undefined || template === null) return ofNext ?? null
  return isEveryPath(route) ? undefined : expressTemplate(request, route)
}

/** @param {any} request @returns {string | undefined} `/api/stall/[id]` */
function nextTemplate (request) {
  const template = request[NEXT_META]?.match?.definition?.pathname
  return typeof template === 'string' ? template : undefined
}

/**
 * The functions that answer the route of a request: the application's middleware on the route, and its handler.
 * @param {any} request
 * @returns {Function[]} outermost first; none where the framework does not expose them
 */
function handlersOf (request) {
  try {
    const routeFacts = routeFactsOf(request)
    const found = routeFacts?.framework?.readHandlers(routeFacts.subject) ?? request.route?.stack?.map((/** @type {any} */ layer) => layer.handle) ?? []
    return found.filter((/** @type {unknown} */ handler) => typeof handler === 'function')
  } catch {
    return []
  }
}

/**
 * The route of a job, whose method no request has.
 * @param {any} request  or a stand-in
 * @returns {string | undefined}
 */
function namedRoute (request) {
  return METHODS.has(request.method) ? undefined : request[ROUTE]
}

/** @param {any} request  or its stand-in */
function isFinished (request) {
  return request[FINISHED] === true
}

/** @param {any} request */
function masked (request) {
  const path = pathnameOf(request)
  return path[0] === '/' ? maskedTemplate(path, request.params) : null
}

/**
 * The operation of a GraphQL request, by its name, since all of them have one path. Read only from a body that the application has parsed. The name
 * is a client's choice, so it must be a valid name, and the number of names is bounded.
 * @param {any} request
 * @param {any} [subject]  the framework's own request object
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

/** @param {string} document @param {unknown} wanted  the operation's name if the document defines several */
function nameOperation (document, wanted) {
  const isNamed = typeof wanted === 'string' && OPERATION_NAME.test(wanted)
  for (const [, kind, name] of document.matchAll(DEFINITION)) {
    if (!isNamed || name === wanted) return `${kind} ${name}`
  }
  return null
}

module.exports = { FINISHED, ROUTE, UNMATCHED, answeredTemplate, handlersOf, isFinished, namedRoute, routeInFlight, routeOf, templateOf, methodOf }
