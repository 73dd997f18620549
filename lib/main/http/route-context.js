'use strict'

// The request that the running code works for, found again after awaits, in promise chains and in timers.
// It holds the request, not its route: the route is not known before the router has run, so it is resolved when asked.

const { AsyncLocalStorage } = require('node:async_hooks')
const { hold, release } = require('../process/process-wide')

/** @import { IncomingMessage } from 'node:http' */

/**
 * @typedef {object} RequestContext
 * @property {IncomingMessage} request
 * @property {number} startMicros       of the monotonic clock
 * @property {object | null} countedBy  the request durations that count this request
 * @property {Set<object> | null} alsoCountedBy  those of further handles
 */

/** @typedef {RouteContext} RouteContextPart */

// Copies of this package in one process share the store, so its name carries the version of RequestContext.
const SHARED_NAME = 'route-context.2'

function createRouteContext () {
  return new RouteContext()
}

class RouteContext {
  /** @type {AsyncLocalStorage<RequestContext> | null} */
  #storage = null

  get running () { return this.#storage !== null }

  start () {
    this.#storage ??= hold(SHARED_NAME, () => /** @type {AsyncLocalStorage<RequestContext>} */ (new AsyncLocalStorage())).value
  }

  /** The last one out turns the storage off: before Node 24 it makes every promise of the process dearer. */
  stop () {
    if (this.#storage === null) return
    this.#storage = null
    release(SHARED_NAME, storage => storage.disable())
  }

  /**
   * @template {any[]} A
   * @template T
   * @param {RequestContext} context
   * @param {(...given: A) => T} fn
   * @param {A} given
   * @returns {T}
   */
  run (context, fn, ...given) {
    if (this.#storage === null || this.#storage.getStore() === context) return fn(...given)
    return this.#storage.run(context, fn, ...given)
  }

  /**
   * The same for the rest of the running callback and all that follows from it, where there is no function to wrap.
   * @param {RequestContext} context
   */
  enter (context) {
    this.#storage?.enterWith(context)
  }

  /**
   * A plain read of the store, so it also answers from an inspector interrupt in the middle of the user's code.
   * @returns {RequestContext | undefined}
   */
  current () {
    return this.#storage?.getStore()
  }
}

module.exports = { createRouteContext }
