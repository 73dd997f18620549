'use strict'

// Timers for loopscope's own work: Node's, whatever stands in the globals of the application (jsdom's return a number, fake ones do not run), and
// made outside of the request that happens to start them, so that none keeps its context or is counted for it.

const { AsyncResource } = require('node:async_hooks')
const { performance } = require('node:perf_hooks')
const timers = require('node:timers')
const { guarded } = require('./guard')

/** @typedef {(ms: number, work: () => unknown) => () => void} Every  returns what ends it */

const outside = new AsyncResource('loopscope', { requireManualDestroy: true })

/**
 * Does something that a request happens to occasion as if there was none: what is started by it does not take its context along.
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
 * Does something again and again, by a timer of its own that keeps nothing alive. Where there are wake-ups anyway it is done at their occasion
 * instead: observer/stalls/housekeeping.js.
 * @type {Every}
 */
function everyByTimer (ms, work) {
  const timer = setInterval(guarded(work), ms).unref()
  return () => clearInterval(timer)
}

module.exports = { clearImmediate, clearInterval, clearTimeout, everyByTimer, outsideRequest, performance, setImmediate, setInterval, setTimeout }
