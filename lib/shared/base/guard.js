'use strict'

// Around whatever is called from outside of us: by a timer, a message, an event, a signal. What is thrown there would be an
// uncaught exception of the application, or the end of the observer. test/internal/guard.test.js lists these entries.

/** @type {(error: unknown) => void} */
let tellFault = () => {}

/**
 * Who is told of faults in this thread: the last one to ask.
 * @param {(error: unknown) => void} listener
 */
function setFaultListener (listener) {
  tellFault = listener
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

/**
 * For work that nobody waits for.
 * @param {Promise<unknown>} work
 */
function unattended (work) {
  work.catch(reportFault)
}

/** @param {unknown} error */
function reportFault (error) {
  try {
    tellFault(error)
  } catch {} // a logger of the application's own
}

module.exports = { guarded, reportFault, setFaultListener, unattended }
