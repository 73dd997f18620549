'use strict'

// What loopscope does for a request, written by hand for one application and nothing else: a context that its body keeps, how long it took,
// counted by route, method and status, those under way, whether its connection closed before, and the longest handler. No framework but
// Express without nested routers, no other application or copy beside it, no bound on what is counted, no guard around it.

const { AsyncLocalStorage } = require('node:async_hooks')
const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const { performance } = require('node:perf_hooks')
const { BucketCounts } = require('../../lib/shared/base/bucket-counts')
const { BOUNDS_SECONDS } = require('../../lib/main/http/request-durations')

/** @typedef {{ startMs: number, active: { count: number } | null }} Context */

const STARTED = 'http.server.request.start'
const FINISHED = 'http.server.response.finish'
const CONTEXT = Symbol('by-hand.context')
const ANSWERED_BY = Symbol('by-hand.response')

/** @type {AsyncLocalStorage<Context>} */
const storage = new AsyncLocalStorage()
/** By method. @type {Map<string, { count: number }>} */
const active = new Map()
/** By route, method and status. @type {Map<string, Map<string, Map<number, BucketCounts>>>} */
const durations = new Map()
let closed = 0
let longestMs = 0

/**
 * @this {any}
 * @param {unknown} chunk
 * @param {BufferEncoding} [encoding]
 */
function push (chunk, encoding) {
  if (chunk === null && this.readableFlowing === null) return pushAsBefore(this, chunk, encoding)
  return storage.run(this[CONTEXT], pushAsBefore, this, chunk, encoding)
}

/**
 * @param {any} request
 * @param {unknown} chunk
 * @param {BufferEncoding} [encoding]
 */
function pushAsBefore (request, chunk, encoding) {
  return Object.getPrototypeOf(request).push.call(request, chunk, encoding)
}

/** @this {any} */
function onClose () {
  if (this[ANSWERED_BY] !== null) closed++
}

function onStarted (/** @type {any} */ { request }) {
  const context = { startMs: performance.now(), active: null }
  storage.enterWith(context)
  request[CONTEXT] = context
  request.push = push
}

function onFinished (/** @type {any} */ { request, response }) {
  const context = request[CONTEXT]
  request.socket[ANSWERED_BY] = null
  context.active.count--
  bucketsOf(request.route.path, request.method, response.statusCode).observe((performance.now() - context.startMs) / 1e3)
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
 * @param {any} request
 * @param {any} response
 * @param {() => void} next
 */
function middleware (request, response, next) {
  const startMs = performance.now()
  const context = /** @type {Context} */ (storage.getStore())
  if (!active.has(request.method)) active.set(request.method, { count: 0 })
  context.active = /** @type {{ count: number }} */ (active.get(request.method))
  context.active.count++
  if (request.socket[ANSWERED_BY] === undefined) request.socket.on('close', onClose)
  request.socket[ANSWERED_BY] = response
  try {
    next()
  } finally {
    longestMs = Math.max(longestMs, performance.now() - startMs)
  }
}

function start () {
  subscribe(STARTED, onStarted)
  subscribe(FINISHED, onFinished)
}

function stop () {
  unsubscribe(STARTED, onStarted)
  unsubscribe(FINISHED, onFinished)
  storage.disable()
}

/** What there would be to tell of. */
function read () {
  const counts = [...durations.values()].flatMap(byMethod => [...byMethod.values()].flatMap(byStatus => [...byStatus.values()]))
  return { answered: counts.reduce((sum, buckets) => sum + buckets.read().count, 0), active, closed, longestMs }
}

module.exports = { start, middleware, stop, read }
