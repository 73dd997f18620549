'use strict'

// What loopscope does for a request, written by hand for one application and nothing else: a context that its body keeps, how long it took,
// counted by route, method and status, those under way, whether its connection closed before, and the longest handler. No framework but
// Express without nested routers, no other application or copy beside it, no bound on what is counted, no guard around it.

const { AsyncLocalStorage } = require('node:async_hooks')
const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const { IncomingMessage } = require('node:http')
const { performance } = require('node:perf_hooks')
const { Readable } = require('node:stream')
const { BucketCounts } = require('../../lib/base/bucket-counts')
const { BOUNDS_SECONDS } = require('../../lib/api/http/request-durations')

/**
 * Before Node 24 each look at a request costs half a microsecond once Express has seen it, so what is asked for later is kept from its begin.
 * @typedef {{ startMs: number, method: string, socket: any, active: { count: number } | null }} Context
 */

const STARTED = 'http.server.request.start'
const FINISHED = 'http.server.response.finish'
const CONTEXT = Symbol('by-hand.context')
const ANSWERED = Symbol('by-hand.answered')

/** @type {AsyncLocalStorage<Context>} */
const storage = new AsyncLocalStorage()
/** By method. @type {Map<string, { count: number }>} */
const active = new Map()
/** By route, method and status. @type {Map<string, Map<string, Map<number, BucketCounts>>>} */
const durations = new Map()
let closed = 0
let longestMs = 0

const plainPush = Readable.prototype.push

/**
 * @this {any}
 * @param {unknown} chunk
 * @param {BufferEncoding} [encoding]
 */
function push (chunk, encoding) {
  if (chunk === null && this.readableFlowing === null) return plainPush.call(this, chunk, encoding)
  return storage.run(this[CONTEXT], pushOf, this, chunk, encoding)
}

/**
 * @param {any} request
 * @param {unknown} chunk
 * @param {BufferEncoding} [encoding]
 */
function pushOf (request, chunk, encoding) {
  return plainPush.call(request, chunk, encoding)
}

/** @this {any} */
function onClose () {
  if (this[ANSWERED] !== null) closed++
}

function onStarted (/** @type {any} */ { request, socket }) {
  const context = { startMs: performance.now(), method: request.method, socket, active: null }
  storage.enterWith(context)
  request[CONTEXT] = context
}

function onFinished (/** @type {any} */ { request, response, socket }) {
  const context = socket[ANSWERED]
  socket[ANSWERED] = null
  context.active.count--
  bucketsOf(request.route.path, context.method, response.statusCode).observe((performance.now() - context.startMs) / 1e3)
}

/**
 * @param {string} route
 * @param {string} method
 * @param {number} status
 */
function bucketsOf (route, method, status) {
  const known = durations.get(route)?.get(method)?.get(status)
  if (known !== undefined) return known
  const buckets = new BucketCounts(BOUNDS_SECONDS)
  durations.set(route, new Map([[method, new Map([[status, buckets]])]]))
  return buckets
}

/**
 * @param {unknown} request
 * @param {unknown} response
 * @param {() => void} next
 */
function middleware (request, response, next) {
  const startMs = performance.now()
  const context = /** @type {Context} */ (storage.getStore())
  context.active = activeOf(context.method)
  context.active.count++
  if (context.socket[ANSWERED] === undefined) context.socket.on('close', onClose)
  context.socket[ANSWERED] = context
  try {
    next()
  } finally {
    longestMs = Math.max(longestMs, performance.now() - startMs)
  }
}

/** @param {string} method */
function activeOf (method) {
  const known = active.get(method)
  if (known !== undefined) return known
  const counted = { count: 0 }
  active.set(method, counted)
  return counted
}

function start () {
  Object.assign(IncomingMessage.prototype, { push })
  subscribe(STARTED, onStarted)
  subscribe(FINISHED, onFinished)
}

function stop () {
  unsubscribe(STARTED, onStarted)
  unsubscribe(FINISHED, onFinished)
  Reflect.deleteProperty(IncomingMessage.prototype, 'push')
  storage.disable()
}

/** What there would be to tell of. */
function read () {
  const counts = [...durations.values()].flatMap(byMethod => [...byMethod.values()].flatMap(byStatus => [...byStatus.values()]))
  return { answered: counts.reduce((sum, buckets) => sum + buckets.read().count, 0), active, closed, longestMs }
}

module.exports = { start, middleware, stop, read }
