'use strict'

// The request that the running code works for, found again after awaits, in promise chains and in timers.
// It holds the request, not its route: the route is not known before the router has run, so it is resolved when asked.

const { AsyncLocalStorage } = require('node:async_hooks')
const { Readable } = require('node:stream')
const { hold, release } = require('../process/process-wide')

/** @import { IncomingMessage } from 'node:http' */
/** @import { Active } from './request-durations' */
/** @import { createResponseEnds } from './response-ends' */

/**
 * @typedef {ReturnType<typeof createResponseEnds>} ResponseEnds
 *
 * @typedef {object} RequestContext
 * @property {IncomingMessage} request
 * @property {number} startMicros       when it was read, of the monotonic clock
 * @property {number} arrivedMicros     when it may have come: before, where the loop was late to read it
 * @property {object | null} countedBy  the request durations that count this request
 * @property {Active | null} active     what it counts as there, until it is answered
 * @property {Map<object, Active | null> | null} alsoCountedBy  the same of further handles
 * @property {ResponseEnds | null} endsWith  what awaits the end of its response
 */

/** @typedef {RouteContext} RouteContextPart */

// Copies of this package in one process share the store, so its name carries the version of RequestContext.
const SHARED_NAME = 'route-context.5'

const CONTEXT = Symbol('loopscope.context')

const plainPush = Readable.prototype.push

/**
 * All of one shape, which V8 knows.
 * @param {IncomingMessage} request
 * @param {number} startMicros
 * @param {number} arrivedMicros
 * @returns {RequestContext}
 */
function createRequestContext (request, startMicros, arrivedMicros) {
  return { request, startMicros, arrivedMicros, countedBy: null, active: null, alsoCountedBy: null, endsWith: null }
}

function createRouteContext () {
  return new RouteContext()
}

class RouteContext {
  /** @type {AsyncLocalStorage<RequestContext> | null} */
  #storage = null
  #push = pushIn(this)

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
   * The same for the events of a body.
   * @param {Readable} source  what brings it
   * @param {RequestContext} context
   */
  keepFor (source, context) {
    keepForBody(source, context, this.#push)
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
 * Replaces a request's own push(): Node.js brings the body from outside of the context that the request was begun in (from the parser's,
 * where contexts are AsyncContextFrames; else from wherever the connection was made).
 * @param {RouteContextPart} context
 * @returns {IncomingMessage['push']}
 */
function pushIn (context) {
  /**
   * @this {any}
   * @param {unknown} chunk
   * @param {BufferEncoding} [encoding]
   */
  return function push (chunk, encoding) {
    // The end of a request that nobody has begun to read reaches nobody: what is emitted later is so for whoever reads it.
    if (chunk === null && this.readableFlowing === null) return pushAsBefore(this, chunk, encoding)
    return context.run(this[CONTEXT], pushAsBefore, this, chunk, encoding)
  }
}

/**
 * Assigned, not defined: hiding the two from who enumerates it would cost ten times as much.
 * @param {any} source
 * @param {RequestContext} requestContext
 * @param {IncomingMessage['push']} push
 */
function keepForBody (source, requestContext, push) {
  // A look at the prototypes first: whether a property is a request's own takes ten times as long to say.
  if (source.push !== plainPush && Object.hasOwn(source, 'push')) return
  source[CONTEXT] = requestContext
  source.push = push
}

/**
 * @param {any} source
 * @param {unknown} chunk
 * @param {BufferEncoding} [encoding]
 */
function pushAsBefore (source, chunk, encoding) {
  return Object.getPrototypeOf(source).push.call(source, chunk, encoding)
}

/**
 * @param {any} request
 * @returns {RequestContext | undefined}
 */
function contextOn (request) {
  return request[CONTEXT]
}

/**
 * @param {any} request
 * @param {RequestContext} context
 */
function putContext (request, context) {
  request[CONTEXT] = context
}

/**
 * A request of HTTP/2 takes the place of what stood in for it while there was only its stream.
 * @param {any} request
 */
function takePlace (request) {
  const context = request.stream?.[CONTEXT]
  if (context !== undefined && context.request.stream === request.stream) context.request = request
}

module.exports = { createRouteContext, createRequestContext, contextOn, putContext, takePlace }
