'use strict'

// The route facts that are set on a request from outside: its template by the application, and the framework that matched it.

const { warnOnce } = require('../../base/warnings')
const { contextOn, takePlace } = require('./contexts/one-request')

/** @import { Logger } from '../../../types/diagnostics' */
/** @import { RequestContext } from './contexts/one-request' */
/** @import { RouteContext } from './contexts/route-context' */

/**
 * @typedef {object} Framework  that provides the route
 * @property {(subject: any) => string | null | undefined} readTemplate  null: no route matches; undefined: not available. Called as late as
 *   possible: the router may not have run yet
 * @property {(subject: any) => unknown[]} readHandlers  the functions that answer the route; other values are left out
 *
 * @typedef {object} Told
 * @property {string | undefined} template  set by the application, which takes precedence
 * @property {Framework | undefined} framework
 * @property {any} subject  the framework's own request object
 */

// A template set by the application.
const TEMPLATE = /^\/[^\s\p{Cc}]{0,255}$/u

/** On a request without a context of its own. */
const TOLD = Symbol('loopscope.told')

/**
 * Sets the template on behalf of the application.
 * @param {object} request
 * @param {string} template
 */
function sayTemplate (request, template) {
  toldFor(request).template = template
}

/**
 * @param {any} request
 * @param {any} subject  the framework's own request object
 * @param {Framework} framework
 */
function giveTemplate (request, subject, framework) {
  const told = toldFor(request)
  told.framework = framework
  told.subject = subject
}

/** @param {any} request */
function hasTemplate (request) {
  return toldOf(request)?.framework !== undefined
}

/**
 * @param {any} request
 * @returns {Told} to be completed
 */
function toldFor (request) {
  takePlace(request)
  const known = toldOf(request)
  if (known !== undefined) return known
  const told = { template: undefined, framework: undefined, subject: undefined }
  const context = contextOn(request)
  if (context === undefined) request[TOLD] = told
  else context.told = told
  return told
}

/**
 * @param {any} request
 * @returns {Told | undefined}
 */
function toldOf (request) {
  return contextOn(request)?.told ?? request[TOLD]
}

/**
 * The same without reading the request, when its context is already at hand.
 * @param {RequestContext} context
 */
function toldIn ({ response, told, request }) {
  return response === null ? toldOf(request) : told
}

/**
 * Applications call it in the middle of a request, so nothing here throws.
 * @param {object} parts
 * @param {Pick<RouteContext, 'current'>} parts.context
 * @param {Pick<Logger, 'warn'>} parts.logger
 * @returns {(request: unknown, template: unknown) => void}
 */
function createSayRoute ({ context, logger }) {
  return function sayRoute (request, template) {
    try {
      if (typeof template !== 'string' || !TEMPLATE.test(template)) {
        return warnOnce(logger, 'LOOPSCOPE_WARN_ROUTE', 'a template is text of at most 256 characters that begins with "/" and has no spaces')
      }
      const found = requestBehind(request) ?? context.current()?.request
      if (found === undefined) return warnOnce(logger, 'LOOPSCOPE_WARN_ROUTE', 'it was not given a request, and none is being worked on')
      sayTemplate(found, template)
    } catch (error) {
      warnOnce(logger, 'LOOPSCOPE_WARN_INTERNAL', error)
    }
  }
}

/**
 * @param {any} given  a request of node:http, Express or Fastify, or a context of Hono or Koa
 * @returns {object | undefined}
 */
function requestBehind (given) {
  return [given?.env?.incoming, given?.raw, given?.req, given].find(isRequest)
}

/** @param {any} value */
function isRequest (value) {
  return typeof value?.method === 'string' && typeof value.url === 'string' && typeof value.httpVersion === 'string'
}

module.exports = { createSayRoute, giveTemplate, hasTemplate, sayTemplate, toldIn, toldOf }
