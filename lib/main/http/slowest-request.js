'use strict'

// The request whose synchronous part was the longest since the last take(). It gives a stall its route when the stall
// was over before anyone could look at the running code. It knows nothing of stalls but their threshold.

/** @import { RequestContext } from './contexts/one-request' */

/**
 * @typedef {object} SlowRequest
 * @property {RequestContext} context
 * @property {number} fromMicros
 * @property {number} toMicros
 */

/** @param {number} stallThresholdMs */
function createSlowestRequest (stallThresholdMs) {
  return new SlowestRequest(stallThresholdMs)
}

class SlowestRequest {
  #minMicros
  #longestMicros
  /** @type {SlowRequest | null} */
  #slowest = null

  /** @param {number} stallThresholdMs */
  constructor (stallThresholdMs) {
    // Less than half of a stall cannot be what a stall is blamed on.
    this.#minMicros = stallThresholdMs * 1e3 / 2
    this.#longestMicros = this.#minMicros
  }

  /**
   * @param {RequestContext} context
   * @param {number} fromMicros
   * @param {number} toMicros
   */
  note (context, fromMicros, toMicros) {
    if (toMicros - fromMicros < this.#longestMicros) return
    this.#longestMicros = toMicros - fromMicros
    this.#slowest = { context, fromMicros, toMicros }
  }

  /**
   * To be called on every tick of the heartbeat, so that what it returns belongs to the turn of the loop that just ended.
   * @returns {SlowRequest | null}
   */
  take () {
    const slowest = this.#slowest
    this.#slowest = null
    this.#longestMicros = this.#minMicros
    return slowest
  }
}

module.exports = { createSlowestRequest }
