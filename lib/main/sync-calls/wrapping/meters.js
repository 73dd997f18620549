'use strict'

// What a wrapper reports its calls to. A meter knows one API; it hands on the calls whose stack is to be read.

const { readCallSite, UNKNOWN } = require('../call-site')
const { Sampler } = require('../sampler')

/** @import { Place } from '../call-site' */
/** @import { Gate } from './pauses' */
/** @import { Target } from '../targets' */

/**
 * @typedef {object} MeterParts
 * @property {Target} target
 * @property {Gate} gate
 * @property {() => number} now  milliseconds, monotonic
 * @property {number} thresholdMs
 * @property {() => number} [random]
 * @property {(target: Target, place: Place, weight: number, ms: number) => void} record
 * @property {(target: Target, ms: number) => void} spend  every timed call
 * @property {(error: unknown) => void} onFault
 */

/** The longest gap; more than a loop can call in a second, and still a small integer to V8. */
const MAX_LEFT = 2 ** 30 - 1

class Meter {
  #parts

  /** @param {MeterParts} parts */
  constructor (parts) {
    this.#parts = parts
    this.sampler = new Sampler(parts)
  }

  /**
   * @param {Function} wrapper
   * @param {number} weight
   * @param {number} ms
   */
  record (wrapper, weight, ms) {
    const { target, record, onFault } = this.#parts
    try {
      const place = placeBelow(wrapper)
      if (place !== null) record(target, place, weight, ms)
    } catch (error) {
      onFault(error)
    }
  }
}

class TimedMeter extends Meter {
  #limit
  #spend
  #target

  /** @param {MeterParts} parts */
  constructor (parts) {
    super(parts)
    this.gate = parts.gate
    this.now = parts.now
    this.#target = parts.target
    this.#spend = parts.spend
    this.#limit = parts.target.reportAbove
    this.isSync = parts.target.isSync
    this.lengthOf = this.#limit === null ? null : this.#limit.lengthOf
  }

  /**
   * @param {Function} wrapper  on the stack
   * @param {number} ms
   * @param {number} length     of what it worked on, where that matters
   */
  end (wrapper, ms, length) {
    if (this.#limit !== null && length < this.#limit.length && ms < this.#limit.ms) return
    this.#spend(this.#target, ms)
    const weight = this.sampler.weigh(ms)
    if (weight !== 0) this.record(wrapper, weight, ms)
  }

  roll () {
    this.sampler.roll()
  }
}

class CountedMeter extends Meter {
  #gate
  /** Calls until the next one whose stack is read; the wrapper counts it down. */
  left = 1

  /** @param {MeterParts} parts */
  constructor (parts) {
    super(parts)
    this.#gate = parts.gate
  }

  /**
   * A call while the gate is closed is dropped with all that it stands for, so on average only those calls are missing.
   * @param {Function} wrapper  on the stack
   */
  sample (wrapper) {
    const weight = this.sampler.weighCounted()
    this.#draw()
    if (this.#gate.isOpen) this.#gate.whileClosed(() => this.record(wrapper, weight, 0))
  }

  roll () {
    this.sampler.roll()
    this.#draw()
  }

  #draw () {
    this.left = Math.min(this.sampler.gap(), MAX_LEFT)
  }
}

/** @param {Function} wrapper */
function placeBelow (wrapper) {
  try {
    return readCallSite(wrapper)
  } catch {
    return UNKNOWN // --frozen-intrinsics, or somebody's own Error
  }
}

module.exports = { TimedMeter, CountedMeter }
