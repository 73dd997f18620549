'use strict'

// Timers of Node.js for loopscope's own work. The globals of an application may be replaced (jsdom's timers return a number, fake timers do not run),
// and a timer started during a request must neither keep the async context of the request nor be attributed to it.

const { AsyncResource } = require('node:async_hooks')
const { performance } = require('node:perf_hooks')
const timers = require('node:timers')
const { guarded } = require('./guard')

/** @typedef {(ms: number, work: () => unknown) => () => void} StartInterval  returns a function that ends it */

const outside = new AsyncResource('loopscope', { requireManualDestroy: true })

/**
 * Runs work outside the async context of the current request, so that what it starts does not keep that context.
 * @template T
 * @param {() => T} work
 * @returns {T}
 */
function outsideRequest (work) {
  return outside.runInAsyncScope(work)
}

/** @type {(work: (...args: any[]) => unknown, ms: number, ...args: any[]) => NodeJS.Timeout} */
const setTimeout = (work, ms, ...args) => outside.runInAsyncScope(timers.setTimeout, undefined, work, ms, ...args)

/** @type {typeof setTimeout} */
const setInterval = (work, ms, ...args) => outside.runInAsyncScope(timers.setInterval, undefined, work, ms, ...args)

/** @type {(work: () => unknown) => NodeJS.Immediate} */
const setImmediate = work => outside.runInAsyncScope(timers.setImmediate, undefined, work)

/** @type {(timer: NodeJS.Timeout | undefined) => void} */
const clearTimeout = timer => timers.clearTimeout(timer)

/** @type {typeof clearTimeout} */
const clearInterval = timer => timers.clearInterval(timer)

/** @type {(timer: NodeJS.Immediate | undefined) => void} */
const clearImmediate = timer => timers.clearImmediate(timer)

/**
 * Calls a function periodically, by a timer that keeps nothing alive. Where the process wakes up periodically anyway, use those wake-ups instead:
 * createHousekeeping() of observer/stalls/stall-watch.js.
 * @type {StartInterval}
 */
function intervalByTimer (ms, work) {
  const timer = setInterval(guarded(work), ms).unref()
  return () => clearInterval(timer)
}

module.exports = { clearImmediate, clearInterval, clearTimeout, intervalByTimer, outsideRequest, performance, setImmediate, setInterval, setTimeout }
