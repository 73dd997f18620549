'use strict'

// The route facts that are set on a request from outside: its template by the application, and the framework that matched it, which is found among
// the modules that the application has loaded; none is loaded here.

const Module = require('node:module')
const { warnOnce } = require('../../base/warnings')
const { contextOn, replaceStandIn } = require('./contexts/one-request')

/** @import { Logger } from '../../../types/diagnostics' */
/** @import { RequestContext } from './contexts/one-request' */
/** @import { RouteContext } from './contexts/route-context' */

/**
 * @typedef {object} Framework  that provides the route
 * @property {(subject: any) => string | null | undefined} readTemplate  null: no route matches; undefined: not available. Called as late as
 *   possible: the router may not have run yet
 * @property {(subject: any) => unknown[]} readHandlers  the functions that answer the route; other values are left out
 *
 * @typedef {object} RouteFacts
 * @property {string | undefined} template  set by the application, which takes precedence
 * @property {Framework | undefined} framework
 * @property {any} subject  the framework's own request object
 */

// A template set by the application.
const TEMPLATE = /^\/[^\s\p{Cc}]{0,255}$/u

/** On a request without a context of its own. */
const ROUTE_FACTS = Symbol('loopscope.routeFacts')

/** Sets the template on behalf of the application. @param {object} request @param {string} template */
function setRouteTemplate (request, template) {
  ensureRouteFacts(request).template = template
}

/**
 * @param {any} request
 * @param {any} subject  the framework's own request object
 * @param {Framework} framework
 */
function setFramework (request, subject, framework) {
  const facts = ensureRouteFacts(request)
  facts.framework = framework
  facts.subject = subject
}

/** @param {any} request */
function hasFramework (request) {
  return routeFactsOf(request)?.framework !== undefined
}

/** @param {any} request @returns {RouteFacts} to be completed */
function ensureRouteFacts (request) {
  replaceStandIn(request)
  const known = routeFactsOf(request)
  if (known !== undefined) return known
  const facts = { template: undefined, framework: undefined, subject: undefined }
  const context = contextOn(request)
  if (context === undefined) request[ROUTE_FACTS] = facts
  else context.routeFacts = facts
  return facts
}

/** @param {any} request @returns {RouteFacts | undefined} */
function routeFactsOf (request) {
  return contextOn(request)?.routeFacts ?? request[ROUTE_FACTS]
}

/** The same without reading the request, when its context is already at hand. @param {RequestContext} context */
function routeFactsIn ({ response, routeFacts, request }) {
  return response === null ? routeFactsOf(request) : routeFacts
}

/** Sets the framework on each request for which a loaded framework makes an object of its own. */
class FrameworkWatch {
  /** @type {Map<any, { own: Function, replaced: Function }>} what holds the function that makes the object */
  #watched = new Map()
  #kind

  /**
   * @param {object} kind
   * @param {RegExp} kind.file  of the framework
   * @param {(exported: any) => any} kind.holderOf  what holds the function, from the exports of that file
   * @param {string} kind.maker  the function's name
   * @param {(subject: any) => object | undefined} kind.requestOf  the request of node:http
   * @param {Framework} kind.framework
   */
  constructor (kind) {
    this.#kind = kind
  }

  start () {}

  /** Call it on a server's first request: by then its application is loaded. */
  attachToLoaded () {
    const { file, holderOf, maker } = this.#kind
    for (const exported of loadedExports(file)) {
      const holder = holderOf(exported)
      if (typeof holder?.[maker] === 'function' && !this.#watched.has(holder)) this.#watch(holder)
    }
  }

  /** @param {any} holder */
  #watch (holder) {
    const { maker, requestOf, framework } = this.#kind
    const replaced = holder[maker]
    /** @this {any} @param {any[]} given */
    const own = function make (...given) {
      const subject = replaced.apply(this, given)
      const request = requestOf(subject)
      if (request !== undefined && !hasFramework(request)) setFramework(request, subject, framework)
      return subject
    }
    holder[maker] = own
    this.#watched.set(holder, { own, replaced })
  }

  stop () {
    for (const [holder, { own, replaced }] of this.#watched) if (holder[this.#kind.maker] === own) holder[this.#kind.maker] = replaced
    this.#watched.clear()
  }
}

/** @param {RegExp} file @returns {any[]} their exports, one for each copy */
function loadedExports (file) {
  // Not require.cache: it is the same object where it exists, but in a bundle there is none.
  const cache = /** @type {any} */ (Module)._cache ?? {}
  return Object.keys(cache).filter(name => file.test(name)).map(name => cache[name]?.exports)
}

/**
 * Applications call it in the middle of a request, so nothing here throws.
 * @param {{ context: Pick<RouteContext, 'current'>, logger: Pick<Logger, 'warn'> }} parts
 * @returns {(request: unknown, template: unknown) => void}
 */
function createSetRoute ({ context, logger }) {
  return function setRoute (request, template) {
    try {
      if (typeof template !== 'string' || !TEMPLATE.test(template)) {
        return warnOnce(logger, 'LOOPSCOPE_WARN_ROUTE', 'a template is text of at most 256 characters that begins with "/" and has no spaces')
      }
      const found = nodeRequestOf(request) ?? context.current()?.request
      if (found === undefined) return warnOnce(logger, 'LOOPSCOPE_WARN_ROUTE', 'it was not given a request, and none is being worked on')
      setRouteTemplate(found, template)
    } catch (error) {
      warnOnce(logger, 'LOOPSCOPE_WARN_INTERNAL', error)
    }
  }
}

/**
 * @param {any} given  a request of node:http, Express or Fastify, or a context of Hono or Koa
 * @returns {object | undefined}
 */
function nodeRequestOf (given) {
  return [given?.env?.incoming, given?.raw, given?.req, given].find(isRequest)
}

/** @param {any} value */
function isRequest (value) {
  return typeof value?.method === 'string' && typeof value.url === 'string' && typeof value.httpVersion === 'string'
}

module.exports = { FrameworkWatch, createSetRoute, hasFramework, loadedExports, routeFactsIn, routeFactsOf, setFramework, setRouteTemplate }
