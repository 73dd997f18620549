'use strict'

// Captures the current stack as V8's call sites, to be read now or later. Error.stackTraceLimit and Error.prepareStackTrace, which control this,
// belong to the application: they are restored, and no code of the application runs (a getter, its own prepareStackTrace). It never throws: if
// Error is frozen there is no stack.

/** @typedef {{ function: string, file: string, line: number, column: number }} CallPlace  line and column from 1, 0 where there is none; file: a path or a URL */

const MAX_FUNCTION_LENGTH = 80
const MAX_FILE_LENGTH = 300

// As they were at load: the application may have replaced them since.
const IntrinsicError = Error
const { captureStackTrace } = Error
const { defineProperty, deleteProperty, getOwnPropertyDescriptor } = Reflect

/**
 * A stack that V8 formats only when it is read. It retains the functions on it.
 * @typedef {object} CapturedStack
 */

/**
 * Captures the current stack. Reading it costs several times as much, more so if it is rare; it can be deferred.
 * @param {Function} callee  on the stack now; its callers are captured
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
 * @returns {NodeJS.CallSite[][]} for each stack, innermost first; empty for null, and for all if V8 provides no call sites
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
 * Captures and reads the current stack.
 * @param {Function} callee
 * @param {number} depth
 * @returns {NodeJS.CallSite[]} innermost first
 */
function readCallSites (callee, depth) {
  return readStacks([captureStack(callee, depth)])[0]
}

/**
 * @param {NodeJS.CallSite} site
 * @returns {string} a path or a URL; for code made by eval, where it was made; '' where there is none
 */
function fileOf (site) {
  return site.getFileName() ?? (site.isEval() ? site.getEvalOrigin() : undefined) ?? ''
}

/** @param {NodeJS.CallSite} site @returns {CallPlace} before source maps */
function placeOf (site) {
  return {
    function: bounded(site.getFunctionName() ?? '', MAX_FUNCTION_LENGTH) || '(anonymous)',
    file: bounded(fileOf(site), MAX_FILE_LENGTH),
    line: site.getLineNumber() ?? 0,
    column: site.getColumnNumber() ?? 0
  }
}

/** @param {string} text @param {number} maxLength */
function bounded (text, maxLength) {
  // A plain slice would retain the whole text.
  return text.length <= maxLength ? text : Buffer.from(text.slice(0, maxLength)).toString()
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

/** @param {'stackTraceLimit' | 'prepareStackTrace'} name @param {PropertyDescriptor | undefined} before */
function restore (name, before) {
  if (before === undefined) deleteProperty(IntrinsicError, name)
  else if (before.writable === true) IntrinsicError[name] = before.value
  else defineProperty(IntrinsicError, name, before)
}

module.exports = { captureStack, fileOf, placeOf, readStacks, readCallSites }
