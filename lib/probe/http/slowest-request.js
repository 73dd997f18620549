'use strict'

// Finds the request or job whose synchronous code ran longest: the work of a stall that was over before the running code could be probed.

/** @import { RequestContext } from './contexts/one-request' */

/**
 * @typedef {object} SlowRequest
 * @property {RequestContext} context
 * @property {number} fromMicros
 * @property {number} toMicros
 */

/**
 * The request with the longest synchronous part since the last take(). It provides the route of a stall that was over before the running code could
 * be probed. It uses nothing of stalls but their threshold.
 */
class SlowestRequest {
  #minMicros
  #longestMicros
  /** @type {SlowRequest | null} */
  #slowest = null

  /** @param {number} stallThresholdMs */
  constructor (stallThresholdMs) {
    // A stall is never attributed to less than half of its threshold.
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
   * Call it on every tick of the heartbeat: the result then belongs to the turn of the loop that just ended.
   * @returns {SlowRequest | null}
   */
  take () {
    const slowest = this.#slowest
    this.#slowest = null
    this.#longestMicros = this.#minMicros
    return slowest
  }
}

module.exports = { SlowestRequest }
