'use strict'

// Wraps functions: the wrapper has the same name, length, properties, this, arguments, result and errors; and installs and removes the wrappers.
// Wrappers are methods, because a method has no prototype unless the original has one; none is ever called with new. In a bundle, profiles
// recognize them by that name (base/own-files.js).

const { syncBuiltinESMExports } = require('node:module')
const { WRAPPERS_FOLDER } = require('../../base/own-files')

/** @import { TimedMeter, CountedMeter } from './meters' */

const { apply, construct } = Reflect // as they were before any wrapping

// Frames in this folder are removed from the stacks of errors.
const FRAME = /^\s+at /

/**
 * @typedef {object} Patch
 * @property {any} holder
 * @property {string} name
 * @property {PropertyDescriptor} descriptor  of the original
 * @property {Function} replacement
 */

/** @param {Function} original @param {TimedMeter} meter */
function wrapTimed (original, meter) {
  const wrap = meter.isSync === null && meter.lengthOf === null ? wrapEveryCall : wrapCheckedCall
  return copyProperties(wrap(original, meter), original)
}

/**
 * Only apply() uses `arguments` here, so V8 passes them on without creating an object.
 * @param {Function} original
 * @param {TimedMeter} meter
 */
function wrapEveryCall (original, meter) {
  const { pauses, now } = meter
  const wrapper = {
    /** @this {unknown} */
    loopscopeWrapper () {
      const isTimed = !pauses.isPaused
      if (isTimed) pauses.begin()
      const fromMs = isTimed ? now() : 0
      try {
        return apply(original, this, arguments)
      } catch (error) {
        throw withoutOwnFrames(error)
      } finally {
        if (isTimed) {
          meter.end(wrapper, now() - fromMs, 0)
          pauses.end()
        }
      }
    }
  }.loopscopeWrapper
  return wrapper
}

/**
 * For functions whose arguments or result decide whether the call counts.
 * @param {Function} original
 * @param {TimedMeter} meter
 */
function wrapCheckedCall (original, meter) {
  const { pauses, now, isSync, lengthOf } = meter
  const wrapper = {
    /** @this {unknown} */
    loopscopeWrapper () {
      const isTimed = !pauses.isPaused && (isSync === null || isSync(arguments))
      if (isTimed) pauses.begin()
      const fromMs = isTimed ? now() : 0
      let result
      try {
        result = apply(original, this, arguments)
        return result
      } catch (error) {
        throw withoutOwnFrames(error)
      } finally {
        if (isTimed) {
          const ms = now() - fromMs
          meter.end(wrapper, ms, lengthOf === null ? 0 : lengthOf(arguments, result))
          pauses.end()
        }
      }
    }
  }.loopscopeWrapper
  return wrapper
}

/**
 * For functions that take less time than reading a clock: one subtraction per call.
 * @param {Function} original
 * @param {CountedMeter} meter
 */
function wrapCounted (original, meter) {
  const wrapper = {
    /** @this {unknown} */
    loopscopeWrapper () {
      if (--meter.left === 0) meter.sample(wrapper)
      return apply(original, this, arguments)
    }
  }.loopscopeWrapper
  return copyProperties(wrapper, original)
}

/**
 * For functions whose result, object or first argument matters after the call. `arguments` is only passed on, so V8 creates no object for it.
 * @param {Function} original
 * @param {(result: any, self: any, first: any, wrapper: Function) => void} note  it does not throw
 */
function wrapNoted (original, note) {
  const wrapper = {
    /** @this {unknown} */
    loopscopeWrapper () {
      let result
      try {
        result = apply(original, this, arguments)
      } catch (error) {
        throw withoutOwnFrames(error)
      }
      note(result, this, arguments[0], wrapper)
      return result
    }
  }.loopscopeWrapper
  return copyProperties(wrapper, original)
}

/**
 * A Date that counts `new Date()`. Everything else is the original's: the prototype is the same object, so instanceof, subclasses and dates made
 * before or after see no difference. Not a Proxy, which would need less code: reading Date.now through it costs more than the call itself.
 * @param {DateConstructor} Original
 * @param {CountedMeter} meter
 * @returns {DateConstructor}
 */
function makeCountedDate (Original, meter) {
  /** @this {unknown} */
  function CountedDate () {
    if (new.target === undefined) return Original() // a string, like Date()
    if (arguments.length === 0) {
      if (--meter.left === 0) meter.sample(CountedDate)
      if (new.target === CountedDate) return new Original()
    }
    try {
      return construct(Original, arguments, new.target === CountedDate ? Original : new.target)
    } catch (error) {
      throw withoutOwnFrames(error)
    }
  }
  return /** @type {any} */ (copyProperties(CountedDate, Original))
}

/**
 * A Function.prototype.toString that shows the original for a wrapper. There is no other way: a Proxy shows `function () { [native code] }`, without
 * a name, also for functions of Node that show their source.
 * @param {Function} original
 * @param {WeakMap<Function, Function>} originals  originals by wrapper
 */
function wrapToString (original, originals) {
  const wrapper = {
    /** @this {any} */
    call () {
      try {
        return apply(original, originals.get(this) ?? this, arguments)
      } catch (error) {
        throw withoutOwnFrames(error)
      }
    }
  }.call
  return copyProperties(wrapper, original)
}

/**
 * @template {Function} T
 * @param {T} wrapper
 * @param {Function} original
 * @returns {T} the wrapper, with the own properties of the original
 */
function copyProperties (wrapper, original) {
  Object.setPrototypeOf(wrapper, Object.getPrototypeOf(original))
  return Object.defineProperties(wrapper, Object.getOwnPropertyDescriptors(original))
}

/**
 * Removes loopscope's frames from the stack of an error that passed through a wrapper.
 * @param {unknown} error  anything that can be thrown
 * @returns {unknown} the same error; loopscope's one frame had displaced one at the other end of the stack
 */
function withoutOwnFrames (error) {
  try {
    if (!(error instanceof Error)) return error
    const stack = /** @type {unknown} */ (error.stack)
    if (typeof stack === 'string') {
      if (stack.includes(WRAPPERS_FOLDER)) error.stack = withoutOwnLines(stack)
    } else if (Array.isArray(stack)) { // from the application's own Error.prepareStackTrace
      error.stack = /** @type {any} */ (stack.filter(frame => !frame?.getFileName?.()?.startsWith(WRAPPERS_FOLDER)))
    }
  } catch {} // a frozen error, a stack with a getter that throws: it stays as it is
  return error
}

/** @param {string} stack */
function withoutOwnLines (stack) {
  return stack.split('\n').filter(line => !(FRAME.test(line) && line.includes(WRAPPERS_FOLDER))).join('\n')
}

/** Replaces functions and restores them. It is independent of what they do. */
class Patches {
  /** @type {Patch[]} */
  #patches = []

  /** Originals by replacement. @type {WeakMap<Function, Function>} */
  originals = new WeakMap()

  /**
   * @param {any} holder
   * @param {string} name
   * @param {(original: any) => Function} replace
   * @returns {boolean} false where the property cannot be changed (--frozen-intrinsics)
   */
  apply (holder, name, replace) {
    const descriptor = Object.getOwnPropertyDescriptor(holder, name)
    if (descriptor === undefined || typeof descriptor.value !== 'function') return false
    const replacement = replace(descriptor.value)
    if (!Reflect.defineProperty(holder, name, { ...descriptor, value: replacement })) return false
    this.#patches.push({ holder, name, descriptor, replacement })
    this.originals.set(replacement, descriptor.value)
    return true
  }

  /** In reverse order, because properties set on a function were copied to the function that then replaced it. */
  restore () {
    for (const patch of this.#patches.reverse()) restore(patch)
    this.#patches = []
  }

  /** Bindings of `import { readFileSync } from 'node:fs'` follow the modules' own properties only after this call. */
  publish () {
    syncBuiltinESMExports()
  }
}

/** @param {Patch} patch */
function restore ({ holder, name, descriptor, replacement }) {
  // Other code wrapped this wrapper: its wrapper stays, and this one below it passes every call on.
  if (Object.getOwnPropertyDescriptor(holder, name)?.value !== replacement) return
  Reflect.defineProperty(holder, name, descriptor)
  restoreProperties(replacement, descriptor.value)
}

/**
 * Properties that other code set on the wrapper meanwhile were meant for the original: a polyfill's Date.x, a test's own Date.now.
 * @param {Function} replacement
 * @param {Function} original
 */
function restoreProperties (replacement, original) {
  for (const key of Reflect.ownKeys(replacement)) {
    const theirs = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(replacement, key))
    const ours = Object.getOwnPropertyDescriptor(original, key)
    if (theirs.value !== ours?.value || theirs.get !== ours?.get) Reflect.defineProperty(original, key, theirs)
  }
}

module.exports = { Patches, makeCountedDate, wrapCounted, wrapNoted, wrapTimed, wrapToString }
