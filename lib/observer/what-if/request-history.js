'use strict'

// Keeps the last minute of the main thread's request log, as stretches of time without a gap. Bounded.

const { FIELDS } = require('../../shared/requests/request-batch')

/** @import { RequestBatch } from '../../shared/requests/request-batch' */

/**
 * @typedef {object} LoggedRequest  microseconds of the monotonic clock
 * @property {string} route
 * @property {number} arrivedMicros  when it may have arrived, at the earliest
 * @property {number} startMicros    when it was read
 * @property {number} endMicros
 * @property {number} turnMicros     how long its first synchronous code ran; 0: not measured
 * @property {number} connection     0: unknown
 *
 * @typedef {{ fromMicros: number, toMicros: number, requests: LoggedRequest[] }} Stretch  with all requests that ended in it, by end
 */

const KEEP_MICROS = 60e6
const MAX_NUMBERS = 16_384 * FIELDS // 0.8 MB

class RequestHistory {
  /** Oldest first. @type {RequestBatch[]} */
  #batches = []

  /** @param {RequestBatch | null} batch */
  add (batch) {
    if (batch === null) return
    this.#batches.push(batch)
    let kept = this.#batches.reduce((sum, { numbers }) => sum + numbers.length, 0)
    while (this.#batches.length > 1 && (kept > MAX_NUMBERS || this.#batches[0].toMicros < batch.toMicros - KEEP_MICROS)) {
      kept -= /** @type {RequestBatch} */ (this.#batches.shift()).numbers.length
    }
  }

  /**
   * @param {number} fromMicros
   * @param {number} toMicros
   * @returns {Stretch[]} what is known of that time, oldest first
   */
  stretches (fromMicros, toMicros) {
    /** @type {Stretch[]} */
    const stretches = []
    for (const batch of this.#batches) {
      if (batch.toMicros <= fromMicros || batch.fromMicros >= toMicros) continue
      const requests = requestsOf(batch).filter(({ endMicros }) => endMicros > fromMicros && endMicros <= toMicros)
      const last = stretches.at(-1)
      const until = Math.min(batch.toMicros, toMicros)
      if (last === undefined || last.toMicros !== batch.fromMicros) stretches.push({ fromMicros: Math.max(batch.fromMicros, fromMicros), toMicros: until, requests })
      else {
        last.toMicros = until
        last.requests.push(...requests)
      }
    }
    return stretches
  }
}

/** @param {RequestBatch} batch @returns {LoggedRequest[]} */
function requestsOf ({ routes, numbers }) {
  return Array.from({ length: numbers.length / FIELDS }, (_, index) => {
    const [route, arrivedMicros, startMicros, endMicros, turnMicros, connection] = numbers.subarray(index * FIELDS, (index + 1) * FIELDS)
    return { route: routes[route], arrivedMicros, startMicros, endMicros, turnMicros, connection }
  })
}

module.exports = { RequestHistory }
