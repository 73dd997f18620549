'use strict'

// Records loopscope's own work that blocks the main thread (a heap snapshot, a report). The part that requests the work announces its begin and its
// end, so that it is not counted as a delay of the application; its time is added up.

const { monotonicMicros } = require('../../base/monotonic')

/** @import { SharedState } from '../../link/shared-state' */

/** @typedef {{ fromMicros: number, toMicros: number }} Interval */

/** @param {{ heartbeat: { beginOwnWork (): void, endOwnWork (): number } }} parts */
function createOwnWork ({ heartbeat }) {
  let totalMs = 0

  /** @returns {number} milliseconds since begin() */
  function end () {
    const tookMs = heartbeat.endOwnWork()
    totalMs += tookMs
    return tookMs
  }

  return {
    get totalMs () { return totalMs },
    begin: () => heartbeat.beginOwnWork(),
    end,
    /** @template T @param {() => T} work @returns {T} */
    exempt (work) {
      heartbeat.beginOwnWork()
      try {
        return work()
      } finally {
        end()
      }
    }
  }
}

/** The part of the time since the last tick that was loopscope's own work. */
class OwnWorkIntervals {
  #state
  /** In order. @type {Interval[]} */
  #done = []
  /** Begin times of the running work, innermost last: the observer can start work in the middle of other work. @type {number[]} */
  #begunMicros = []
  #isLate = false

  /** @param {SharedState} state */
  constructor (state) {
    this.#state = state
  }

  begin () {
    this.#isLate = false
    this.#setBegun([...this.#begunMicros, monotonicMicros()])
  }

  /** @returns {number} its duration in milliseconds */
  end () {
    const fromMicros = this.#begunMicros.at(-1)
    if (fromMicros === undefined) return 0
    const own = { fromMicros, toMicros: monotonicMicros() }
    const within = this.#done.filter(done => done.fromMicros >= fromMicros)
    // Before the first tick nothing is measured.
    if (this.#state.tickMicros !== 0) {
      this.#done = [...this.#done.slice(0, this.#done.length - within.length), own]
      // In this order: the observer must not see the work's time as a delay, not even briefly.
      this.#state.tickMicros += (msOf([own]) - msOf(within)) * 1e3
    }
    this.#setBegun(this.#begunMicros.slice(0, -1))
    return msOf([own])
  }

  /** Drops work that was begun and will never be ended: it was not loopscope's. */
  drop () {
    this.#setBegun([])
  }

  /** Drops the work since the last tick. */
  forget () {
    this.#done = []
  }

  /**
   * Call it with each tick.
   * @param {number} micros  now
   * @returns {Interval[]} since the previous tick
   */
  take (micros) {
    // A loop that turns is not running loopscope's work: the work was only announced, and what runs until then is the application's. A turn later
    // it will not come any more: the session closed in between.
    if (this.#begunMicros.length > 0) this.#setBegun(this.#isLate ? [] : this.#begunMicros.map(() => micros))
    this.#isLate = true
    const done = this.#done
    if (done.length > 0) this.#done = []
    return done
  }

  /** @param {number[]} begunMicros */
  #setBegun (begunMicros) {
    this.#begunMicros = begunMicros
    this.#state.ownWorkMicros = begunMicros[0] ?? 0
  }
}

/** @param {Interval[]} intervals */
function msOf (intervals) {
  return intervals.reduce((sum, { fromMicros, toMicros }) => sum + toMicros - fromMicros, 0) / 1e3
}

module.exports = { OwnWorkIntervals, createOwnWork, msOf }
