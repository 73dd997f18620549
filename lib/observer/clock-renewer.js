'use strict'

// Renews the main thread's clocks from the observer thread, so that they advance while the main loop is blocked.

const { renew } = require('../shared/clock')
const { guarded } = require('../base/guard')
const { clearInterval, setInterval } = require('../base/timers')

/** @typedef {{ buffer: SharedArrayBuffer, resolutionMs: number }} ClockRenewal  how a clock is renewed */

function createClockRenewer () {
  /** By the main thread's number of a clock: the same shared buffer is another object each time it is sent.
   * @type {Map<number, { timer: NodeJS.Timeout, doubles: Float64Array }>} */
  const kept = new Map()
  return {
    /**
     * @param {number} clock
     * @param {ClockRenewal} renewal
     */
    keep (clock, { buffer, resolutionMs }) {
      const doubles = new Float64Array(buffer)
      kept.set(clock, { timer: setInterval(guarded(renew), resolutionMs, doubles), doubles })
    },
    /** @param {number} clock */
    release (clock) {
      const { timer, doubles } = kept.get(clock) ?? {}
      clearInterval(timer)
      // The timer may have run after the main thread had cleared the clock, and the clock would stand still from then on.
      doubles?.fill(0)
      kept.delete(clock)
    }
  }
}

module.exports = { createClockRenewer }
