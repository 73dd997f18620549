'use strict'

// The request that the running code works for, found again after awaits, in promise chains and in timers.
// It holds the request, not its route: the route is not known before the router has run, so it is resolved when asked.

const { AsyncLocalStorage } = require('node:async_hooks')
const { hold, release } = require('../../process/process-wide')
const { createBodyContext } = require('./body-context')
const { NAME } = require('./one-request')

/** @import { Readable } from 'node:stream' */
/** @import { Holder, RequestContext } from './one-request' */

/** @typedef {RouteContext} RouteContextPart */

function createRouteContext () {
  return new RouteContext()
}

class RouteContext {
  /** @type {AsyncLocalStorage<Holder> | null} */
  #storage = null
  #bodies = createBodyContext(this)

  get running () { return this.#storage !== null }

  start () {
    this.#storage ??= hold(NAME, () => /** @type {AsyncLocalStorage<Holder>} */ (new AsyncLocalStorage())).value
  }

  /** The last one out turns the storage off: before Node 24 it makes every promise of the process dearer. */
  stop () {
    if (this.#storage === null) return
    this.#storage = null
    this.#bodies.stop()
    release(NAME, storage => storage.disable())
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
    if (this.#storage === null || this.#storage.getStore() === context.holder) return fn(...given)
    return this.#storage.run(context.holder, fn, ...given)
  }

  /**
   * The same for the rest of the running callback and all that follows from it, where there is no function to wrap.
   * @param {RequestContext} context
   */
  enter (context) {
    this.#storage?.enterWith(context.holder)
  }

  /**
   * The same for the events of a body.
   * @param {Readable} source  what brings it
   * @param {RequestContext} context
   */
  keepFor (source, context) {
    this.#bodies.keepFor(source, context)
  }

  /**
   * A plain read of the store, so it also answers from an inspector interrupt in the middle of the user's code.
   * @returns {RequestContext | undefined}
   */
  current () {
    return this.#storage?.getStore()?.context
  }
}

module.exports = { createRouteContext }
