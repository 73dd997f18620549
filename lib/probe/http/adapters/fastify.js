'use strict'

// Fastify adapter: every request passes the middleware in the first hook, with Fastify's own route template. Without a plugin in the application,
// it finds instances through Fastify's diagnostics channels.

const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const { guarded } = require('../../../base/guard')
const { hasFramework, loadedExports, setFramework } = require('../set-route')

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { RequestMiddleware } from '../../../api/http/middleware' */
/** @import { Framework } from '../set-route' */

/**
 * @typedef {{ raw: IncomingMessage, routeOptions?: { url?: string, handler?: Function } }} FastifyRequest
 * @typedef {object} FastifyLike  the part of an instance that is used
 * @property {(name: 'onRequest', hook: (request: FastifyRequest, reply: { raw: ServerResponse, hijack (): void }, done: () => void) => void) => void}
 *   addHook
 */

const CREATED = 'fastify.initialization'
const HANDLED = 'tracing:fastify.request.handler:start'
const FILE = /[\\/]fastify[\\/]fastify\.js$/

/** @type {Framework} */
const FASTIFY = {
  readTemplate: (/** @type {FastifyRequest} */ request) => request.routeOptions?.url ?? null,
  readHandlers: (/** @type {FastifyRequest} */ request) => [request.routeOptions?.handler]
}

/** @param {RequestMiddleware} middleware */
function createFastifyPlugin (middleware) {
  /** @param {FastifyLike} instance */
  async function loopscope (instance) {
    instance.addHook('onRequest', (request, reply, done) => {
      setFramework(request.raw, request, FASTIFY)
      let isTaken = true
      middleware(request.raw, reply.raw, () => {
        isTaken = false
        done()
      })
      if (isTaken) reply.hijack()
    })
  }
  // The hook applies to the whole application, not only to its own plugin scope.
  return Object.assign(loopscope, { [Symbol.for('skip-override')]: true, [Symbol.for('fastify.display-name')]: 'loopscope' })
}

class FastifyWatch {
  #created = guarded((/** @type {any} */ message) => observeInstance(message.fastify))
  #handled = guarded((/** @type {any} */ message) => observeRequest(message.request))

  start () {
    subscribe(CREATED, this.#created)
    // An instance may have been created earlier: its requests are then seen at their handlers, which costs them a little more.
    if (loadedExports(FILE).length > 0) subscribe(HANDLED, this.#handled)
  }

  /** Nothing to do: Fastify publishes each request. */
  attachToLoaded () {}

  stop () {
    unsubscribe(CREATED, this.#created)
    unsubscribe(HANDLED, this.#handled)
  }
}

/** @param {FastifyLike} instance */
function observeInstance (instance) {
  instance.addHook('onRequest', function loopscope (request, reply, done) {
    observeRequest(request)
    done()
  })
}

/** @param {FastifyRequest} request */
function observeRequest (request) {
  if (!hasFramework(request.raw)) setFramework(request.raw, request, FASTIFY)
}

module.exports = { createFastifyPlugin, observeInstance, FastifyWatch }
