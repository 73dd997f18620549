'use strict'

// Fastify: every request passes the middleware in the first hook, with Fastify's own words for its route.

const { giveTemplate } = require('../route-template')

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { RequestMiddleware } from '../middleware' */

/**
 * @typedef {object} FastifyLike  the part of an instance that is used
 * @property {(name: 'onRequest', hook: (request: { raw: IncomingMessage, routeOptions?: { url?: string } }, reply: { raw: ServerResponse, hijack (): void }, done: () => void) => void) => void} addHook
 */

/** @param {RequestMiddleware} middleware */
function createFastifyPlugin (middleware) {
  /** @param {FastifyLike} instance */
  async function loopscope (instance) {
    instance.addHook('onRequest', (request, reply, done) => {
      giveTemplate(request.raw, () => request.routeOptions?.url)
      let isTaken = true
      middleware(request.raw, reply.raw, () => {
        isTaken = false
        done()
      })
      if (isTaken) reply.hijack()
    })
  }
  // The hook is for the whole application, not for what is registered beside it only.
  return Object.assign(loopscope, { [Symbol.for('skip-override')]: true, [Symbol.for('fastify.display-name')]: 'loopscope' })
}

module.exports = { createFastifyPlugin }
