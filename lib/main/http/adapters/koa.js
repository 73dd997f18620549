'use strict'

// Koa: a middleware of its own kind. The route is what the usual routers leave in the context.

const { giveTemplate } = require('../route-template')

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { RequestMiddleware } from '../middleware' */

/** @typedef {{ req: IncomingMessage, res: ServerResponse, respond?: boolean, _matchedRoute?: string | RegExp }} KoaContext */

/** @param {RequestMiddleware} middleware */
function createKoaMiddleware (middleware) {
  /**
   * @param {KoaContext} context
   * @param {() => Promise<unknown>} next
   * @returns {Promise<unknown>}
   */
  return function loopscope (context, next) {
    giveTemplate(context.req, () => context._matchedRoute && String(context._matchedRoute))
    /** @type {Promise<unknown> | undefined} */
    let answered
    middleware(context.req, context.res, () => { answered = next() })
    if (answered !== undefined) return answered
    context.respond = false // it is being answered already
    return Promise.resolve()
  }
}

module.exports = { createKoaMiddleware }
