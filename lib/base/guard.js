'use strict'

// Wraps functions that are called from outside loopscope: by a timer, a message, an event, a signal. An exception there would be an uncaught
// exception of the application, or end the observer. test/internal/guard.test.js lists these entry points.

const { Promise } = require('./globals')

/** @type {(error: unknown) => void} */
let onFault = () => {}

/**
 * Sets the listener for internal errors in this thread; the last one set wins.
 * @param {(error: unknown) => void} listener
 */
function setFaultListener (listener) {
  onFault = listener
}

/**
 * @template {any[]} Values
 * @param {(this: any, ...values: Values) => unknown} work  also one that returns a promise
 * @returns {(...values: Values) => void} never throws
 */
function guarded (work) {
  return /** @this {unknown} */ function (...values) {
    try {
      const result = Reflect.apply(work, this, values)
      if (result instanceof Promise) unattended(result)
    } catch (error) {
      reportFault(error)
    }
  }
}

/** For a promise that is not awaited. @param {Promise<unknown>} work */
function unattended (work) {
  work.catch(reportFault)
}

/**
 * For what may fail at any time, and need not be reported: a file that is gone, or data of others that is broken.
 * @template T, F
 * @param {() => T} work
 * @param {F} otherwise
 * @returns {T | F}
 */
function attempt (work, otherwise) {
  try {
    return work()
  } catch {
    return otherwise
  }
}

/** @param {unknown} error */
function reportFault (error) {
  try {
    onFault(error)
  } catch {} // a logger of the application's own
}

module.exports = { attempt, guarded, reportFault, setFaultListener, unattended }
