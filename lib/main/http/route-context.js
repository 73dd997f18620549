'use strict'

// The request that the running code works for, found again after awaits, in promise chains and in timers.
// It holds the request, not its route: the route is not known before the router has run, so it is resolved when asked.

const { AsyncLocalStorage, executionAsyncId } = require('node:async_hooks')
const { hold, release } = require('../process/process-wide')
const { contextOn, createBodyContext } = require('./body-context')

/** @import { IncomingMessage } from 'node:http' */
/** @import { Readable } from 'node:stream' */
/** @import { Active } from './request-durations' */
/** @import { createResponseEnds } from './response-ends' */

/**
 * @typedef {ReturnType<typeof createResponseEnds>} ResponseEnds
 *
 * @typedef {object} RequestContext
 * @property {IncomingMessage} request
 * @property {number} startMicros       when it was read, of the monotonic clock
 * @property {number} arrivedMicros     when it may have come: before, where the loop was late to read it
 * @property {number} firstTurn         Node's id of the call in which it was begun; 0 when something of its body has come since
 * @property {object | null} countedBy  the request durations that count this request
 * @property {Active | null} active     what it counts as there, until it is answered
 * @property {Map<object, Active | null> | null} alsoCountedBy  the same of further handles
 * @property {ResponseEnds | null} endsWith  what awaits the end of its response
 */

/** @typedef {RouteContext} RouteContextPart */

// Copies of this package in one process share the store, so its name carries the version of RequestContext.
const SHARED_NAME = 'route-context.6'

/**
 * All of one shape, which V8 knows.
 * @param {IncomingMessage} request
 * @param {number} startMicros
 * @param {number} arrivedMicros
 * @returns {RequestContext}
 */
function createRequestContext (request, startMicros, arrivedMicros) {
  return { request, startMicros, arrivedMicros, firstTurn: executionAsyncId(), countedBy: null, active: null, alsoCountedBy: null, endsWith: null }
}

function createRouteContext () {
  return new RouteContext()
}

class RouteContext {
  /** @type {AsyncLocalStorage<RequestContext> | null} */
  #storage = null
  #bodies = createBodyContext(this)

  get running () { return this.#storage !== null }

  start () {
    this.#storage ??= hold(SHARED_NAME, () => /** @type {AsyncLocalStorage<RequestContext>} */ (new AsyncLocalStorage())).value
  }

  /** The last one out turns the storage off: before Node 24 it makes every promise of the process dearer. */
  stop () {
    if (this.#storage === null) return
    this.#storage = null
    this.#bodies.stop()
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
    return this.#storage?.getStore()
  }
}

/**
 * @param {RequestContext} context
 * @returns {boolean} whether the call that began the request has not returned yet: then all that ran since was for it
 */
function isInFirstTurn ({ firstTurn }) {
  return firstTurn !== 0 && firstTurn === executionAsyncId()
}

/**
 * A request of HTTP/2 takes the place of what stood in for it while there was only its stream.
 * @param {any} request
 */
function takePlace (request) {
  const { stream } = request
  const context = stream ? contextOn(stream) : undefined
  if (context !== undefined && /** @type {any} */ (context.request).stream === stream) context.request = request
}

module.exports = { createRouteContext, createRequestContext, isInFirstTurn, takePlace }
