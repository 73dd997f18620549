'use strict'

// Functions that stand in for a watched one: the same name, length, properties, this, arguments, result and errors.
// They are methods, because those have no prototype of their own unless the original has; none is ever called with new.
// Profiles know them by that name in a bundle (shared/base/own-files.js).

const { withoutOwnFrames } = require('./own-frames')

/** @import { TimedMeter, CountedMeter } from './meters' */

const { apply } = Reflect // as it was before anybody wrapped it

/**
 * @param {Function} original
 * @param {TimedMeter} meter
 */
function wrapTimed (original, meter) {
  const wrap = meter.isSync === null && meter.lengthOf === null ? wrapEveryCall : wrapCheckedCall
  return copyProperties(wrap(original, meter), original)
}

/**
 * Nobody but apply() sees `arguments` here, so V8 hands them on without making an object of them.
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
 * Where the arguments or the result decide whether the call counts.
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
 * For what takes less time than reading a clock does: one subtraction a call.
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
 * A Function.prototype.toString that shows of a replacement what the original shows. There is no other way to that: a Proxy
 * shows `function () { [native code] }`, without a name, also for functions of Node that show their source.
 * @param {Function} original
 * @param {WeakMap<Function, Function>} originals  of replacements
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

module.exports = { wrapTimed, wrapCounted, wrapToString, copyProperties }
