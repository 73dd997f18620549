'use strict'

// The time of day without a system call: a number in shared memory that a keeper renews every few milliseconds. Reading it is one load from memory.
// It is for hot paths that need an approximate time, not for measuring durations.

const { guarded } = require('../base/guard')
const { clearInterval, setInterval } = require('../base/timers')
const { assertInteger, assertKnownKeys, refuse } = require('../base/validate')

const DEFAULTS = Object.freeze({
  resolutionMs: 10 // 25 ms of staleness is promised: a keeper that is one turn late still holds it
})

const SLOT_MS = 30_000
const NOW = 0 // indexes into the shared doubles; see link/shared-state.js for why they need no Atomics
const SLOT_MAX = 1
const PREVIOUS_SLOT_MAX = 2
const SLOT_END = 3
const DOUBLES = 4

/**
 * @typedef {object} ClockOptions
 * @property {number} [resolutionMs]       how often the time is renewed, 1 to 1000. Default 10
 * @property {SharedArrayBuffer} [buffer]  of a clock in another thread: this one then only reads it
 * @property {Keeper} [keeper]             what renews it; a timer of this thread where there is none
 */

/**
 * Renews a clock from another thread. It calls onKept when it has begun, which can take a while, and onLost when it cannot, or no
 * longer can. Returns what ends it, and leaves the clock empty when it has.
 * @callback Keeper
 * @param {SharedArrayBuffer} buffer
 * @param {number} resolutionMs
 * @param {{ onKept: () => void, onLost: () => void }} listeners
 * @returns {() => void}
 */

/**
 * @param {ClockOptions} [options]
 * @returns {Clock}
 * @throws ERR_LOOPSCOPE_INVALID_OPTION, ERR_LOOPSCOPE_UNKNOWN_OPTION
 */
function createClock (options = {}) {
  assertKnownKeys('options', options, ['resolutionMs', 'buffer', 'keeper'])
  const { resolutionMs = DEFAULTS.resolutionMs, buffer, keeper } = options
  assertInteger('options.resolutionMs', resolutionMs, 1, 1000)
  if (buffer !== undefined && !(buffer instanceof SharedArrayBuffer && buffer.byteLength >= DOUBLES * 8)) {
    refuse('options.buffer', 'the buffer of another clock', buffer)
  }
  return new Clock(buffer ?? new SharedArrayBuffer(DOUBLES * 8), buffer === undefined ? { resolutionMs, keeper } : null)
}

/** Milliseconds since the epoch, renewed every resolutionMs. It goes back only when the system's clock is set back. */
class Clock {
  #doubles
  #upkeep
  #isStarted = false
  /** Where no keeper does its work. @type {NodeJS.Timeout | undefined} */
  #timer
  #release = () => {}

  /**
   * @param {SharedArrayBuffer} buffer
   * @param {{ resolutionMs: number, keeper?: Keeper } | null} upkeep  null: a clock with another owner
   */
  constructor (buffer, upkeep) {
    /** For another thread: `createClock({ buffer })` there reads the same time. */
    this.buffer = buffer
    this.#doubles = new Float64Array(buffer)
    this.#upkeep = upkeep
    this.start()
  }

  get running () { return this.#upkeep === null ? this.#doubles[NOW] !== 0 : this.#isStarted }

  /** Whoever renews it may be long in coming, when this is called within a block; until then now() asks the system. */
  start () {
    if (this.#isStarted || this.#upkeep === null) return
    this.#isStarted = true
    const { resolutionMs, keeper } = this.#upkeep
    const renewHere = () => {
      clearInterval(this.#timer)
      this.#doubles[NOW] = 0
      this.#timer = setInterval(guarded(renew), resolutionMs, this.#doubles).unref()
    }
    if (keeper === undefined) renewHere()
    else this.#release = keeper(this.buffer, resolutionMs, { onKept: () => clearInterval(this.#timer), onLost: renewHere })
  }

  /** From here on now() asks the system, as Date.now() does. */
  stop () {
    if (this.#upkeep === null) return
    this.#isStarted = false
    clearInterval(this.#timer)
    this.#release()
    this.#release = () => {}
    this.#doubles.fill(0)
  }

  /** @returns {number} whole milliseconds since the epoch */
  now () {
    return this.#doubles[NOW] || Date.now()
  }

  /** @returns {number} whole seconds since the epoch */
  seconds () {
    return Math.floor(this.now() / 1e3)
  }

  /** @returns {Date} */
  date () {
    return new Date(this.now())
  }

  /** The longest that the time stood still within the last 30 to 60 s, in milliseconds. */
  get recentMaxStalenessMs () {
    return Math.max(this.#doubles[SLOT_MAX], this.#doubles[PREVIOUS_SLOT_MAX])
  }
}

/** What a keeper does each time, in whatever thread it runs. @param {Float64Array} doubles */
function renew (doubles) {
  const now = Date.now()
  const before = doubles[NOW]
  if (now >= doubles[SLOT_END]) {
    doubles[PREVIOUS_SLOT_MAX] = doubles[SLOT_MAX]
    doubles[SLOT_MAX] = 0
    doubles[SLOT_END] = now + SLOT_MS
  }
  if (before !== 0 && now - before > doubles[SLOT_MAX]) doubles[SLOT_MAX] = now - before
  doubles[NOW] = now
}

/** @typedef {{ buffer: SharedArrayBuffer, resolutionMs: number }} ClockRenewal  how a clock is renewed */

/** The keeper in the observer, where clocks advance also while the main loop is blocked. */
class ClockRenewer {
  /**
   * By the main thread's number of a clock: the same shared buffer is another object each time it is sent.
   * @type {Map<number, { timer: NodeJS.Timeout, doubles: Float64Array }>}
   */
  #kept = new Map()

  /** @param {number} clock @param {ClockRenewal} renewal */
  keep (clock, { buffer, resolutionMs }) {
    const doubles = new Float64Array(buffer)
    this.#kept.set(clock, { timer: setInterval(guarded(renew), resolutionMs, doubles), doubles })
  }

  /** @param {number} clock */
  release (clock) {
    const { timer, doubles } = this.#kept.get(clock) ?? {}
    clearInterval(timer)
    // The timer may have run after the main thread had cleared the clock, and the clock would stand still from then on.
    doubles?.fill(0)
    this.#kept.delete(clock)
  }
}

module.exports = { ClockRenewer, createClock, renew, DEFAULTS }
