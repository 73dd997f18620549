'use strict'

// Finds the request that the running code works for, also after awaits, in promise chains and in timers. It holds the request, not its route:
// the route is not available before the router has run, so it is resolved on demand.

const { AsyncLocalStorage } = require('node:async_hooks')
const { channel } = require('node:diagnostics_channel')
const { Readable } = require('node:stream')
const { hold, release } = require('../../process/process-wide')
const { isFinished } = require('../route-template')
const { NAME, contextOn, putContext } = require('./one-request')

/** @import { Holder, RequestContext } from './one-request' */

/** @typedef {(source: any, chunk: unknown, encoding?: BufferEncoding) => boolean} Push */

const plainPush = Readable.prototype.push

class RouteContext {
  /** @type {AsyncLocalStorage<Holder> | null} */
  #storage = null
  #bodies = new BodyContext(this)
  #connections = new SharedConnections(this)

  get running () { return this.#storage !== null }

  start () {
    this.#storage ??= hold(NAME, () => /** @type {AsyncLocalStorage<Holder>} */ (new AsyncLocalStorage())).value
  }

  /** The last holder disables the storage: before Node 24 it slows down every promise of the process. */
  stop () {
    if (this.#storage === null) return
    this.#storage = null
    this.#bodies.stop()
    this.#connections.stop()
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
   * Enters the context for the rest of the running callback and all that follows from it, where there is no function to wrap.
   * @param {RequestContext} context
   */
  enter (context) {
    this.#connections.start()
    this.#storage?.enterWith(context.holder)
  }

  /**
   * Unlike AsyncLocalStorage.exit(), which stops and starts Node's hooks before Node 24.
   * @template T
   * @param {() => T} fn  runs for no request
   * @returns {T}
   */
  leave (fn) {
    return this.#storage === null ? fn() : this.#storage.run(/** @type {any} */ (undefined), fn)
  }

  /**
   * Enters the context for the events of a body.
   * @param {Readable} source  its source
   * @param {RequestContext} context
   */
  keepFor (source, context) {
    this.#bodies.keepFor(source, context)
  }

  /**
   * Runs what a channel runs with a message (callbacks of the application) in the context of the message's request.
   * @param {string} name  the channel's name
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
   * A plain read of the store, so it also works in an inspector interrupt in the middle of the user's code.
   * @returns {RequestContext | undefined}
   */
  current () {
    return this.#storage?.getStore()?.context
  }
}

/**
 * Runs the events of a body in the context of its request. Node.js emits them outside of the request's context (in the parser's with
 * AsyncContextFrame, otherwise in the one where the connection was made). Requests of node:http share one hook, in front of the push() that they
 * inherit; HTTP/2 streams, sockets after an upgrade, and requests with another push() have one each.
 */
class BodyContext {
  #sharedPush
  #ownPush
  /** The prototype of all node:http requests, while it has the hook. @type {any} */
  #hooked = null

  /** @param {Pick<RouteContext, 'run'>} context */
  constructor (context) {
    this.#sharedPush = pushIn(context, (source, chunk, encoding) => plainPush.call(source, chunk, encoding))
    this.#ownPush = pushIn(context, (source, chunk, encoding) => Object.getPrototypeOf(source).push.call(source, chunk, encoding))
  }

  /**
   * @param {any} source  the source of the body
   * @param {RequestContext} requestContext
   */
  keepFor (source, requestContext) {
    putContext(source, requestContext)
    if (source.push !== this.#sharedPush) this.#hook(source, requestContext)
  }

  /** A source with its own hook keeps it, but finds no context from then on. */
  stop () {
    removePush(this.#hooked, this.#sharedPush)
    this.#hooked = null
  }

  /** @param {any} source @param {RequestContext} requestContext */
  #hook (source, requestContext) {
    const { IncomingMessage } = process.getBuiltinModule('node:http')
    if (source.push === plainPush && source instanceof IncomingMessage) {
      this.#hooked = IncomingMessage.prototype
      putPush(this.#hooked, this.#sharedPush)
    } else if (!Object.hasOwn(source, 'push')) {
      source.push = this.#ownPush
    } else {
      requestContext.firstTurn = 0 // nothing reports when its body arrives
    }
  }
}

/**
 * A connection that a request makes for all that follow (to a database, when the first of them needs it) has its events in the context of that one for ever.
 * Once that request is answered they are of no request: a callback that waits for an answer may be of any.
 */
class SharedConnections {
  #push
  /** The prototype of all sockets, while it has the hook. @type {any} */
  #hooked = null

  /** @param {Pick<RouteContext, 'current' | 'leave'>} context */
  constructor (context) {
    /** @this {any} @param {unknown} chunk @param {BufferEncoding} [encoding] */
    this.#push = function push (chunk, encoding) {
      const current = context.current()
      // The socket of a WebSocket has the context of its own request.
      if (current === undefined || !isFinished(current.request) || contextOn(this) !== undefined) return plainPush.call(this, chunk, encoding)
      return context.leave(() => plainPush.call(this, chunk, encoding))
    }
  }

  /** Call it with the first request. */
  start () {
    if (this.#hooked !== null) return
    const { Socket } = process.getBuiltinModule('node:net')
    this.#hooked = Socket.prototype
    // Another push() there is somebody else's.
    if (this.#hooked.push === plainPush) putPush(this.#hooked, this.#push)
  }

  stop () {
    removePush(this.#hooked, this.#push)
    this.#hooked = null
  }
}

/** @param {any} prototype  that inherits its push() @param {Function} push */
function putPush (prototype, push) {
  Reflect.defineProperty(prototype, 'push', { value: push, configurable: true, writable: true })
}

/** Unless somebody else has replaced it. @param {any} prototype  null: it has never been put @param {Function} push */
function removePush (prototype, push) {
  if (prototype?.push === push) Reflect.deleteProperty(prototype, 'push')
}

/** @param {Pick<RouteContext, 'run'>} context @param {Push} before */
function pushIn (context, before) {
  /** @this {any} @param {unknown} chunk @param {BufferEncoding} [encoding] */
  return function push (chunk, encoding) {
    // The end of a request that no one has begun to read reaches no listener: later events belong to the code that reads it.
    if (chunk === null && this.readableFlowing === null) return before(this, chunk, encoding)
    const requestContext = contextOn(this)
    if (requestContext === undefined) return before(this, chunk, encoding)
    requestContext.firstTurn = 0
    return context.run(requestContext, before, this, chunk, encoding)
  }
}

module.exports = { RouteContext }
