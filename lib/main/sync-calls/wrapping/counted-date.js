'use strict'

// A Date that counts `new Date()`. Everything else is the original's: the prototype is the same object, so instanceof,
// subclasses and dates made before or after know no difference.
//
// Not a Proxy, though one would need less code: reading Date.now through it costs more than the call itself.

const { withoutOwnFrames } = require('./own-frames')
const { copyProperties } = require('./wrapper')

/** @import { CountedMeter } from './meters' */

const { construct } = Reflect

/**
 * @param {DateConstructor} Original
 * @param {CountedMeter} meter
 * @returns {DateConstructor}
 */
function makeCountedDate (Original, meter) {
  /** @this {unknown} */
  function CountedDate () {
    if (new.target === undefined) return Original() // a text, as Date() gives
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

module.exports = { makeCountedDate }
