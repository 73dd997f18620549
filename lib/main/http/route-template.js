'use strict'

// The route of a request: its method, and the template of its path as far as anybody knows it: the application itself, the framework
// that matched it, else the path with its values taken out. A value of a path never shows in it, and no fault of ours comes out.

const { expressTemplate } = require('./express/express-template')
const { nextTemplate } = require('./adapters/next')
const { operationOf } = require('./graphql-operation')
const { maskedTemplate } = require('./mask-path')
const { pathnameOf } = require('./pathname')

const UNMATCHED = '_unmatched'
const OTHER_METHOD = '_OTHER'

// The methods of RFC 9110, PATCH (RFC 5789) and QUERY: what OpenTelemetry counts as known. A client may invent others.
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE', 'QUERY'])

const STATUS_NOT_FOUND = 404

// On the request itself: a look into a map would be paid by every request of Express too.
const SAID = Symbol('loopscope.template')
const GIVEN = Symbol('loopscope.framework')

/**
 * @typedef {(subject: any) => string | null | undefined} ReadTemplate  null: no route answers; undefined: not known
 * @typedef {{ subject: any, read: ReadTemplate }} Given
 */

/**
 * For the application, which knows best.
 * @param {object} request
 * @param {string} template
 */
function sayTemplate (request, template) {
  Object.defineProperty(request, SAID, { value: template, configurable: true, writable: true })
}

/**
 * For frameworks that say what their route is.
 * @param {any} request
 * @param {any} subject  what the framework makes of the request
 * @param {ReadTemplate} read  called as late as possible: the router may still be on its way
 */
function giveTemplate (request, subject, read) {
  request[GIVEN] = { subject, read }
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
  const template = given?.read(given.subject)
  return template ?? nextTemplate(request) ?? (template === null ? null : expressTemplate(request))
}

/** @param {any} request */
function maskedRoute (request) {
  const path = pathnameOf(request)
  const template = path[0] === '/' ? maskedTemplate(path, request.params) : null
  return template === null ? UNMATCHED : template + operationOf(request, request[GIVEN]?.subject)
}

module.exports = { giveTemplate, sayTemplate, hasTemplate, routeOf, templateOf, methodOf, UNMATCHED }
