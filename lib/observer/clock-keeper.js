'use strict'

// Renews the clocks of the main thread from the observer thread, so that they go on while the main loop is blocked.

const { renew } = require('../clock')

function createClockKeeper () {
  /** By the main thread's number: the same shared buffer is another object each time it is sent.
   * @type {Map<number, NodeJS.Timeout>} */
  const timers = new Map()
  return {
    /**
     * @param {number} clock
     * @param {SharedArrayBuffer} buffer
     * @param {number} resolutionMs
     */
    keep (clock, buffer, resolutionMs) {
      timers.set(clock, setInterval(renew, resolutionMs, new Float64Array(buffer)))
    },
    /** @param {number} clock */
    release (clock) {
      clearInterval(timers.get(clock))
      timers.delete(clock)
    }
  }
}

module.exports = { createClockKeeper }
