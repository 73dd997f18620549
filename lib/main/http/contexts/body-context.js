'use strict'

// The events of a body come in the context of its request: Node.js brings a body from outside of the context that the request was begun in
// (from the parser's, where contexts are AsyncContextFrames; else from wherever the connection was made). Requests of node:http share one
// hook, in front of the push() that they inherit; streams of HTTP/2, sockets after an upgrade, and requests whose push() is not the plain
// one, have one each.

const { Readable } = require('node:stream')
const { contextOn, putContext } = require('./one-request')

/** @import { RequestContext } from './one-request' */
/** @import { RouteContextPart } from './route-context' */

/** @typedef {(source: any, chunk: unknown, encoding?: BufferEncoding) => boolean} Push */

const plainPush = Readable.prototype.push

/** @param {Pick<RouteContextPart, 'run'>} context */
function createBodyContext (context) {
  return new BodyContext(context)
}

class BodyContext {
  #sharedPush
  #ownPush
  /** Of all requests of node:http, while it has the hook. @type {any} */
  #hooked = null

  /** @param {Parameters<typeof createBodyContext>[0]} context */
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
 * @param {Parameters<typeof createBodyContext>[0]} context
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

module.exports = { createBodyContext }
