'use strict'

// Koa adapter: a middleware in Koa's form. The usual routers leave the route in the context; without the middleware, the context is intercepted
// where Koa creates it.

const { hasFramework, setFramework } = require('../set-route')
const { loadedExports } = require('./loaded')

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { RequestMiddleware } from '../../../api/http/middleware' */
/** @import { Framework } from '../set-route' */

/** @typedef {{ req: IncomingMessage, res: ServerResponse, respond?: boolean, _matchedRoute?: string | RegExp, matched?: { path: unknown, stack: unknown[] }[] }} KoaContext */

const FILE = /[\\/]koa[\\/]lib[\\/]application\.js$/

/** Undefined where the application uses none of the routers that set it. @param {KoaContext} context */
function readTemplate ({ _matchedRoute }) {
  return _matchedRoute === undefined || _matchedRoute === null ? undefined : String(_matchedRoute)
}

/** @type {Framework} */
const KOA = {
  readTemplate,
  readHandlers: (/** @type {KoaContext} */ { _matchedRoute, matched = [] }) => matched.findLast(({ path }) => path === _matchedRoute)?.stack ?? []
}

/** @param {RequestMiddleware} middleware */
function createKoaMiddleware (middleware) {
  /**
   * @param {KoaContext} context
   * @param {() => Promise<unknown>} next
   * @returns {Promise<unknown>}
   */
  return function loopscope (context, next) {
    setFramework(context.req, context, KOA)
    /** @type {Promise<unknown> | undefined} */
    let answered
    middleware(context.req, context.res, () => { answered = next() })
    if (answered !== undefined) return answered
    context.respond = false // another handler already answers it
    return Promise.resolve()
  }
}

class KoaWatch {
  /** @type {Map<any, { own: Function, replaced: Function }>} prototype of an application */
  #watched = new Map()

  start () {}

  /** Call it on a server's first request: by then its application is loaded. */
  attachToLoaded () {
    for (const exported of loadedExports(FILE)) {
      const prototype = (exported?.default ?? exported)?.prototype
      if (typeof prototype?.createContext === 'function' && !this.#watched.has(prototype)) this.#watch(prototype)
    }
  }

  /** @param {any} prototype */
  #watch (prototype) {
    const replaced = prototype.createContext
    /** @this {any} @param {any[]} given */
    const own = function createContext (...given) {
      const context = replaced.apply(this, given)
      const request = context?.req
      if (request !== undefined && !hasFramework(request)) setFramework(request, context, KOA)
      return context
    }
    prototype.createContext = own
    this.#watched.set(prototype, { own, replaced })
  }

  stop () {
    for (const [prototype, { own, replaced }] of this.#watched) if (prototype.createContext === own) prototype.createContext = replaced
    this.#watched.clear()
  }
}

module.exports = { createKoaMiddleware, KoaWatch }
