'use strict'

// The stack of the code that runs now, as V8's call sites, at once or later. Error.stackTraceLimit and Error.prepareStackTrace, by which V8
// is told what is wanted, are the application's: they are as they were afterwards, and nothing of the application's is run (a getter, its
// own prepareStackTrace). It never throws: where Error is frozen there is no stack.

// As they were when this was loaded: the application may have put others in their place.
const IntrinsicError = Error
const { captureStackTrace } = Error
const { defineProperty, deleteProperty, getOwnPropertyDescriptor } = Reflect

/**
 * A stack as V8 keeps it until somebody reads it. It holds the functions that were on it.
 * @typedef {object} CapturedStack
 */

/**
 * Takes down what is on the stack now. Reading it costs several times as much, the more the seldomer it is done, and can wait.
 * @param {Function} callee  on the stack now: what it was called by is wanted
 * @param {number} depth     in frames
 * @returns {CapturedStack | null} null where there is none
 */
function captureStack (callee, depth) {
  const limit = getOwnPropertyDescriptor(IntrinsicError, 'stackTraceLimit')
  try {
    if (!set('stackTraceLimit', depth, limit)) return null
    const stack = {}
    captureStackTrace(stack, callee)
    return stack
  } catch {
    return null
  } finally {
    restore('stackTraceLimit', limit)
  }
}

/**
 * @param {readonly (CapturedStack | null)[]} stacks  each can be read once
 * @returns {NodeJS.CallSite[][]} of each, innermost first; none of null, and of all where V8 does not tell
 */
function readStacks (stacks) {
  const prepare = getOwnPropertyDescriptor(IntrinsicError, 'prepareStackTrace')
  /** @type {NodeJS.CallSite[]} */
  let found = []
  try {
    const prepareOurs = (/** @type {unknown} */ stack, /** @type {NodeJS.CallSite[]} */ sites) => { found = sites }
    if (!set('prepareStackTrace', prepareOurs, prepare)) return stacks.map(() => [])
    return stacks.map(stack => {
      found = []
      if (stack !== null) Reflect.get(stack, 'stack') // V8 prepares it when it is read
      return found
    })
  } catch {
    return stacks.map(() => [])
  } finally {
    restore('prepareStackTrace', prepare)
  }
}

/**
 * Both at once.
 * @param {Function} callee
 * @param {number} depth
 * @returns {NodeJS.CallSite[]} innermost first
 */
function readCallSites (callee, depth) {
  return readStacks([captureStack(callee, depth)])[0]
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

module.exports = { captureStack, readStacks, readCallSites }
