'use strict'

// The request that the running code works for, found again after awaits, in promise chains and in timers.
// It holds the request, not its route: the route is not known before the router has run, so it is resolved when asked.

const { AsyncLocalStorage } = require('node:async_hooks')
const { channel } = require('node:diagnostics_channel')
const { Readable } = require('node:stream')
const { hold, release } = require('../../process/process-wide')
const { NAME, contextOn, putContext } = require('./one-request')

/** @import { Holder, RequestContext } from './one-request' */

/** @typedef {(source: any, chunk: unknown, encoding?: BufferEncoding) => boolean} Push */

const plainPush = Readable.prototype.push

class RouteContext {
  /** @type {AsyncLocalStorage<Holder> | null} */
  #storage = null
  #bodies = new BodyContext(this)

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
   * Has what a channel runs with a message, the callbacks of the application, run for the request that the message belongs to.
   * @param {string} name  of the channel
   * @param {(message: any) => Holder | undefined} holderOf  throws nothing
   * @returns {() => void} ends it
   */
  restoreOn (name, holderOf) {
    const storage = this.#storage
    if (storage === null) return () => {}
    const bound = channel(name)
    bound.bindStore(storage, /** @type {any} */ (holderOf))
    return () => { bound.unbindStore(storage) }
  }

  /**
   * A plain read of the store, so it also answers from an inspector interrupt in the middle of the user's code.
   * @returns {RequestContext | undefined}
   */
  current () {
    return this.#storage?.getStore()?.context
  }
}

/**
 * The events of a body come in the context of its request: Node.js brings a body from outside of the context that the request was begun in (from
 * the parser's, where contexts are AsyncContextFrames; else from wherever the connection was made). Requests of node:http share one hook, in
 * front of the push() that they inherit; streams of HTTP/2, sockets after an upgrade, and requests whose push() is not the plain one, have one
 * each.
 */
class BodyContext {
  #sharedPush
  #ownPush
  /** Of all requests of node:http, while it has the hook. @type {any} */
  #hooked = null

  /** @param {Pick<RouteContext, 'run'>} context */
  constructor (context) {
    this.#sharedPush = pushIn(context, (source, chunk, encoding) => plainPush.call(source, chunk, encoding))
    this.#ownPush = pushIn(context, (source, chunk, encoding) => Object.getPrototypeOf(source).push.call(source, chunk, encoding))
  }

  /**
   * @param {any} source  what brings the body
   * @param {RequestContext} requestContext
   */
  keepFor (source, requestContext) {
    putContext(source, requestContext)
    if (source.push !== this.#sharedPush) this.#hook(source, requestContext)
  }

  /** What has a hook of its own keeps it, and finds no context any more. */
  stop () {
    if (this.#hooked?.push === this.#sharedPush) Reflect.deleteProperty(this.#hooked, 'push')
    this.#hooked = null
  }

  /**
   * @param {any} source
   * @param {RequestContext} requestContext
   */
  #hook (source, requestContext) {
    const { IncomingMessage } = process.getBuiltinModule('node:http')
    if (source.push === plainPush && source instanceof IncomingMessage) {
      this.#hooked = IncomingMessage.prototype
      Reflect.defineProperty(IncomingMessage.prototype, 'push', { value: this.#sharedPush, configurable: true, writable: true })
    } else if (!Object.hasOwn(source, 'push')) {
      source.push = this.#ownPush
    } else {
      requestContext.firstTurn = 0 // nothing tells when its body comes
    }
  }
}

/**
 * @param {Pick<RouteContext, 'run'>} context
 * @param {Push} before
 */
function pushIn (context, before) {
  /**
   * @this {any}
   * @param {unknown} chunk
   * @param {BufferEncoding} [encoding]
   */
  return function push (chunk, encoding) {
    // The end of a request that nobody has begun to read reaches nobody: what is emitted later is so for whoever reads it.
    if (chunk === null && this.readableFlowing === null) return before(this, chunk, encoding)
    const requestContext = contextOn(this)
    if (requestContext === undefined) return before(this, chunk, encoding)
    requestContext.firstTurn = 0
    return context.run(requestContext, before, this, chunk, encoding)
  }
}

module.exports = { RouteContext }
