'use strict'

// The route of a request: its method, and the template of its path as far as anybody knows it: the application itself, the framework
// that matched it, else the path with its values taken out. A value of a path never shows in it, and no fault of ours comes out.

const { expressTemplate } = require('./express/express-template')
const { nextTemplate } = require('./adapters/next')
const { operationOf } = require('./graphql-operation')
const { maskedTemplate } = require('./mask-path')
const { pathnameOf } = require('./pathname')
const { takePlace } = require('./route-context')

const UNMATCHED = '_unmatched'
const OTHER_METHOD = '_OTHER'

// The methods of RFC 9110, PATCH (RFC 5789) and QUERY: what OpenTelemetry counts as known. A client may invent others.
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE', 'QUERY'])

const STATUS_NOT_FOUND = 404

// On the request itself: a look into a map would be paid by every request of Express too.
const SAID = Symbol('loopscope.template')
const GIVEN = Symbol('loopscope.framework')

/**
 * @typedef {object} Framework  that says what its route is
 * @property {(subject: any) => string | null | undefined} readTemplate  null: no route answers; undefined: not known. Called as late as
 *   possible: the router may still be on its way
 * @property {(subject: any) => unknown[]} readHandlers  the functions that answer the route; what is no function is left out
 *
 * @typedef {{ subject: any, framework: Framework }} Given
 */

/**
 * For the application, which knows best.
 * @param {object} request
 * @param {string} template
 */
function sayTemplate (request, template) {
  takePlace(request)
  Object.defineProperty(request, SAID, { value: template, configurable: true, writable: true })
}

/**
 * @param {any} request
 * @param {any} subject  what the framework makes of the request
 * @param {Framework} framework
 */
function giveTemplate (request, subject, framework) {
  takePlace(request)
  request[GIVEN] = { subject, framework }
}

/** @param {any} request */
function hasTemplate (request) {
  return request[GIVEN] !== undefined
}

/**
 * @param {any} request
 * @returns {string} `METHOD /path/:template`; `METHOD _unmatched` for a request that no route answers
 */
function routeOf (request) {
  return `${methodOf(request)} ${templateOf(request)}`
}

/**
 * @param {any} request
 * @returns {string} a known method as sent, else '_OTHER'
 */
function methodOf (request) {
  return METHODS.has(request.method) ? request.method : OTHER_METHOD
}

/**
 * @param {any} request
 * @param {number} [status]  of the answer, when it is known
 * @returns {string} the path template without the method, and the name of the operation of GraphQL
 */
function templateOf (request, status) {
  try {
    const template = request[SAID] ?? knownTemplate(request)
    if (template === null || template === '') return UNMATCHED
    if (template !== undefined) return template + operationOf(request, request[GIVEN]?.subject)
    // Whoever looks for holes asks for any path, and is told so: only what was answered has a name.
    return status === STATUS_NOT_FOUND ? UNMATCHED : maskedRoute(request)
  } catch {
    return UNMATCHED
  }
}

/**
 * @param {any} request
 * @returns {string | null | undefined}
 */
function knownTemplate (request) {
  /** @type {Given | undefined} */
  const given = request[GIVEN]
  const template = given?.framework.readTemplate(given.subject)
  return template ?? nextTemplate(request) ?? (template === null ? null : expressTemplate(request))
}

/**
 * The functions that answer the route of a request: the application's own middleware of it, and its handler.
 * @param {any} request
 * @returns {Function[]} outermost first; none where the framework does not tell
 */
function handlersOf (request) {
  try {
    /** @type {Given | undefined} */
    const given = request[GIVEN]
    const found = given?.framework.readHandlers(given.subject) ?? request.route?.stack?.map((/** @type {any} */ layer) => layer.handle) ?? []
    return found.filter((/** @type {unknown} */ handler) => typeof handler === 'function')
  } catch {
    return []
  }
}

/** @param {any} request */
function maskedRoute (request) {
  const path = pathnameOf(request)
  const template = path[0] === '/' ? maskedTemplate(path, request.params) : null
  return template === null ? UNMATCHED : template + operationOf(request, request[GIVEN]?.subject)
}

module.exports = { giveTemplate, sayTemplate, hasTemplate, handlersOf, routeOf, templateOf, methodOf, UNMATCHED }
