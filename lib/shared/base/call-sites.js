'use strict'

// The stack of the code that runs now, as V8's call sites. Error.stackTraceLimit and Error.prepareStackTrace, by which V8 is told what is
// wanted, are the application's: they are as they were afterwards, and nothing of the application's is run (a getter, its own
// prepareStackTrace). It never throws: where Error is frozen there is no stack.

// As they were when this was loaded: the application may have put others in their place.
const IntrinsicError = Error
const { captureStackTrace } = Error
const { defineProperty, deleteProperty, getOwnPropertyDescriptor } = Reflect

/**
 * @param {Function} callee  on the stack now: what it was called by is wanted
 * @param {number} depth     in frames
 * @returns {NodeJS.CallSite[]} innermost first
 */
function readCallSites (callee, depth) {
  const limit = getOwnPropertyDescriptor(IntrinsicError, 'stackTraceLimit')
  const prepare = getOwnPropertyDescriptor(IntrinsicError, 'prepareStackTrace')
  /** @type {NodeJS.CallSite[]} */
  let found = []
  try {
    const prepareOurs = (/** @type {unknown} */ holder, /** @type {NodeJS.CallSite[]} */ sites) => { found = sites }
    if (!set('stackTraceLimit', depth, limit) || !set('prepareStackTrace', prepareOurs, prepare)) return found
    const holder = {}
    captureStackTrace(holder, callee)
    Reflect.get(holder, 'stack') // V8 prepares it when it is read
    return found
  } catch {
    return []
  } finally {
    restore('prepareStackTrace', prepare)
    restore('stackTraceLimit', limit)
  }
}

/**
 * @param {'stackTraceLimit' | 'prepareStackTrace'} name
 * @param {any} value
 * @param {PropertyDescriptor | undefined} before
 */
function set (name, value, before) {
  if (before?.writable !== true) return defineProperty(IntrinsicError, name, { value, writable: true, configurable: true, enumerable: true })
  IntrinsicError[name] = value
  return true
}

/**
 * @param {'stackTraceLimit' | 'prepareStackTrace'} name
 * @param {PropertyDescriptor | undefined} before
 */
function restore (name, before) {
  if (before === undefined) deleteProperty(IntrinsicError, name)
  else if (before.writable === true) IntrinsicError[name] = before.value
  else defineProperty(IntrinsicError, name, before)
}

module.exports = { readCallSites }
