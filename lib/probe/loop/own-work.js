'use strict'

// Work of loopscope that holds up the main thread (a heap snapshot, a report). Those who have it done announce its begin and its end, so that it
// is no delay of the application, and it is added up.

const { monotonicMicros } = require('../../base/monotonic')

/** @import { SharedState } from '../../link/shared-state' */

/** @typedef {{ fromMicros: number, toMicros: number }} Interval */

/**
 * @param {object} parts
 * @param {{ beginOwnWork (): void, endOwnWork (): number }} parts.heartbeat
 */
function createOwnWork ({ heartbeat }) {
  let totalMs = 0

  /** @returns {number} milliseconds since the beginning */
  function end () {
    const tookMs = heartbeat.endOwnWork()
    totalMs += tookMs
    return tookMs
  }

  return {
    get totalMs () { return totalMs },
    begin: () => heartbeat.beginOwnWork(),
    end,
    /**
     * @template T
     * @param {() => T} work
     * @returns {T}
     */
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

/** What of the time since the last tick was loopscope's own work. */
class OwnWorkIntervals {
  #state
  /** In order. @type {Interval[]} */
  #done = []
  /** When what goes on began, the innermost last: the observer has work done in the middle of other work. @type {number[]} */
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

  /** @returns {number} milliseconds that it took */
  end () {
    const fromMicros = this.#begunMicros.at(-1)
    if (fromMicros === undefined) return 0
    const own = { fromMicros, toMicros: monotonicMicros() }
    const within = this.#done.filter(done => done.fromMicros >= fromMicros)
    // Before the first tick nothing is measured.
    if (this.#state.tickMicros !== 0) {
      this.#done = [...this.#done.slice(0, this.#done.length - within.length), own]
      // In this order: the observer must not see the work's time as a delay for a moment.
      this.#state.tickMicros += (msOf([own]) - msOf(within)) * 1e3
    }
    this.#setBegun(this.#begunMicros.slice(0, -1))
    return msOf([own])
  }

  /** Nobody will end what was begun: it was no work of ours. */
  drop () {
    this.#setBegun([])
  }

  /** Leaves out what was done since the last tick. */
  forget () {
    this.#done = []
  }

  /**
   * To be called with each tick.
   * @param {number} micros  now
   * @returns {Interval[]} since the tick before
   */
  take (micros) {
    // A loop that turns is not at work for us: it has been asked, and what it does until then is the application's. A turn later
    // nobody will come any more: the session closed in between.
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
