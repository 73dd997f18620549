'use strict'

// The meters that wrappers report calls to. Each is for one API: it counts every call, and passes on those whose stack is read.

const { captureCall } = require('./call-site')
const { Sampler } = require('./sampler')

/** @import { CapturedStack } from '../call-sites' */
/** @import { ApiCalls } from './site-table' */
/** @import { Target } from './targets' */

/**
 * @typedef {object} MeterParts
 * @property {Target} target
 * @property {Pick<ApiCalls, 'calls' | 'ms'>} total  what every call is added to
 * @property {Pauses} pauses
 * @property {() => number} now  milliseconds, monotonic
 * @property {number} thresholdMs
 * @property {() => number} [random]
 * @property {(target: Target, stack: CapturedStack | null, weight: number, ms: number) => void} record
 * @property {(error: unknown) => void} onFault
 */

/** The longest gap; more calls than a loop can make in a second, and still a small integer in V8. */
const MAX_LEFT = 2 ** 30 - 1

class Meter {
  #parts
  total

  /** @param {MeterParts} parts */
  constructor (parts) {
    this.#parts = parts
    this.total = parts.total
    this.sampler = new Sampler(parts)
  }

  get target () { return this.#parts.target }

  /** Adds what is missing to the total. */
  settle () {}

  /**
   * @param {Function} wrapper
   * @param {number} weight
   * @param {number} ms
   */
  record (wrapper, weight, ms) {
    const { target, record, onFault } = this.#parts
    try {
      record(target, captureCall(wrapper), weight, ms)
    } catch (error) {
      onFault(error)
    }
  }
}

class TimedMeter extends Meter {
  #limit

  /** @param {MeterParts} parts */
  constructor (parts) {
    super(parts)
    this.pauses = parts.pauses
    this.now = parts.now
    this.#limit = parts.target.reportAbove
    this.isSync = parts.target.isSync
    this.lengthOf = this.#limit === null ? null : this.#limit.lengthOf
  }

  /**
   * @param {Function} wrapper  on the stack
   * @param {number} ms
   * @param {number} length     of its data, where that matters
   */
  end (wrapper, ms, length) {
    if (this.#limit !== null && length < this.#limit.length && ms < this.#limit.ms) return
    this.total.calls++
    this.total.ms += ms
    const weight = this.sampler.weigh(ms)
    if (weight !== 0) this.record(wrapper, weight, ms)
  }

  roll () {
    this.sampler.roll()
  }
}

class CountedMeter extends Meter {
  #pauses
  /** Calls until the next one whose stack is read; the wrapper counts it down. */
  left = 1
  /** Its value when the total was last updated. */
  #settledLeft = 1

  /** @param {MeterParts} parts */
  constructor (parts) {
    super(parts)
    this.#pauses = parts.pauses
  }

  /**
   * A call during a pause is in the total like every other; all that it stands for is at no site.
   * @param {Function} wrapper  on the stack
   */
  sample (wrapper) {
    const weight = this.sampler.weighCounted()
    this.settle()
    this.#draw()
    if (!this.#pauses.isPaused) this.#pauses.during(() => this.record(wrapper, weight, 0))
  }

  roll () {
    this.sampler.roll()
    this.settle()
    this.#draw()
  }

  /** @override */
  settle () {
    this.total.calls += this.#settledLeft - this.left
    this.#settledLeft = this.left
  }

  #draw () {
    this.left = this.#settledLeft = Math.min(this.sampler.gap(), MAX_LEFT)
  }
}

/**
 * Pauses of the timing of calls. They overlap, so they are counted: the detector is stopped, a watched call is already running (Node's appendFileSync
 * calls fs.writeFileSync: the outermost is the user's), or loopscope's own work runs.
 */
class Pauses {
  #count = 1

  get isPaused () { return this.#count !== 0 }

  begin () { this.#count++ }

  end () { this.#count-- }

  /**
   * @template T
   * @param {() => T} work
   * @returns {T}
   */
  during (work) {
    this.begin()
    try {
      return work()
    } finally {
      this.end()
    }
  }
}

module.exports = { CountedMeter, Pauses, TimedMeter }
