'use strict'

// The meters that wrappers report calls to. Each is for one API: it counts every call, and passes on those whose stack is read.

const { captureCall } = require('./call-site')

/** @import { CapturedStack } from '../call-sites' */
/** @import { ApiCalls } from './site-table' */
/** @import { Target } from './targets' */

const SAMPLES_PER_SECOND = 100 // of one API: 1 to 2 ms of each second; the rate of the recorder
const THRESHOLDS_PER_SAMPLE = 8 // time of calls below it: a stack then costs less than a hundredth of that
const MAX_EVERY = 2 ** 20

/**
 * Decides which calls of one API have their stack read, and how many calls each of them stands for.
 *
 * A stack costs 5 to 20 us, and 50 where the calls themselves evict it from the CPU's caches (zlib); a call often takes less than 1 us. So not every
 * stack can be read; but without its stack the origin of a call is unknown. So calls are sampled at random and weighted by one over the probability
 * of being sampled (Horvitz and Thompson's estimator): counts and times by call site are right on average whatever the order of the calls, where
 * "every hundredth" would credit one of two alternating sites with everything.
 *
 * The probability of a call is 1 - exp(-(1 / every + ms / (8 thresholdMs))): it grows with the call's own time, so no single sample stands for much
 * more time than it took or than eight thresholds. Slow calls, and all calls of a rarely called API, are always sampled: those counts are exact.
 */
class Sampler {
  #thresholdMs
  #msPerSample
  #random
  /** One call in this many is sampled, on average. */
  #every = 1
  #credit = 0
  #samples = 0
  /** @type {number} */
  #calls = 0

  /** @param {{ thresholdMs: number, random?: () => number }} options */
  constructor ({ thresholdMs, random = Math.random }) {
    this.#thresholdMs = thresholdMs
    this.#msPerSample = thresholdMs * THRESHOLDS_PER_SAMPLE
    this.#random = random
  }

  /**
   * For an API whose calls are timed.
   * @param {number} ms  the call's duration
   * @returns {number} the number of calls that it stands for; 0 when its stack is not read
   */
  weigh (ms) {
    if (ms >= this.#thresholdMs) return 1
    if (this.#every === 1) return this.#noteSampled(1)
    const size = 1 / this.#every + ms / this.#msPerSample
    this.#credit -= size
    if (this.#credit > 0) return 0
    return this.#noteSampled(1 / -Math.expm1(-size))
  }

  /**
   * For an API whose calls are only counted.
   * @returns {number} the number of calls up to and including the next one whose stack is read
   */
  gap () {
    if (this.#every === 1) return 1
    return 1 + Math.floor(Math.log1p(-this.#random()) / Math.log1p(-1 / this.#every))
  }

  /** For the call at the end of a gap. */
  weighCounted () {
    return this.#noteSampled(this.#every)
  }

  /** Call it each second. A new draw is unbiased at any time: draws are memoryless. */
  roll () {
    this.#setEvery(Math.floor(this.#calls / SAMPLES_PER_SECOND))
    this.#samples = 0
    this.#calls = 0
  }

  /** @param {number} weight */
  #noteSampled (weight) {
    this.#calls += weight
    this.#samples++
    // Within one second, also one in which the loop is blocked and roll() is not called, stacks become ever rarer.
    if (this.#samples % SAMPLES_PER_SECOND === 0) this.#setEvery(this.#every * 2)
    this.#credit = -Math.log1p(-this.#random())
    return weight
  }

  /** @param {number} every */
  #setEvery (every) {
    this.#every = Math.min(Math.max(every, 1), MAX_EVERY)
  }
}

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

  /** @param {Function} wrapper @param {number} weight @param {number} ms */
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

  /** @template T @param {() => T} work @returns {T} */
  during (work) {
    this.begin()
    try {
      return work()
    } finally {
      this.end()
    }
  }
}

module.exports = { CountedMeter, Pauses, Sampler, TimedMeter }
