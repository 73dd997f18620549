'use strict'

// Koa adapter: a middleware in Koa's form. The usual routers leave the route in the context; without the middleware, the context is intercepted
// where Koa creates it.

const { setFramework } = require('../set-route')
const { Promise } = require('../../../base/globals')

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
  /** @param {KoaContext} context @param {() => Promise<unknown>} next @returns {Promise<unknown>} */
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

const KOA_CONTEXTS = Object.freeze({
  file: FILE,
  holderOf: (/** @type {any} */ exported) => (exported?.default ?? exported)?.prototype,
  maker: 'createContext',
  requestOf: (/** @type {KoaContext | undefined} */ context) => context?.req,
  framework: KOA
})

module.exports = { createKoaMiddleware, KOA_CONTEXTS }
