'use strict'

// Notes when each request arrived, was read and ended, as numbers: from them the observer computes what a change would do (observer/what-if/). A
// batch holds a stretch of time without a gap: when it is full, nothing more is noted until it is handed over.

const { FIELDS } = require('../../shared/requests/request-batch')

/** @import { RequestBatch } from '../../shared/requests/request-batch' */
/** @import { RequestContext } from './contexts/one-request' */

// Of a busy process a part of each window is enough: a model needs every request of a stretch, but not every stretch.
const MAX_REQUESTS = 2048
const MAX_ROUTES = 200

class RequestLog {
  /** Allocated with the first request: an idle process has none. @type {Float64Array | null} */
  #numbers = null
  #count = 0
  #connections = 0
  /** @type {Map<string, number>} */
  #routes = new Map()
  #fromMicros
  #lastMicros = 0
  #isFull = false

  /** @param {number} micros  now */
  constructor (micros) {
    this.#fromMicros = micros
  }

  /**
   * Called for every request of the application.
   * @param {RequestContext} context
   * @param {string} route
   * @param {number} toMicros
   */
  note (context, route, toMicros) {
    if (this.#isFull) return
    const index = this.#routes.get(route) ?? this.#routes.size
    if (this.#count === MAX_REQUESTS || index === MAX_ROUTES) {
      this.#isFull = true // a stretch with a gap would be of no use
      return
    }
    if (index === this.#routes.size) this.#routes.set(route, index)
    const numbers = this.#numbers ??= new Float64Array(MAX_REQUESTS * FIELDS)
    const at = this.#count++ * FIELDS
    numbers[at] = index
    numbers[at + 1] = context.arrivedMicros
    numbers[at + 2] = context.startMicros
    numbers[at + 3] = toMicros
    numbers[at + 4] = context.turnMicros
    numbers[at + 5] = this.#connectionNumber(context)
    this.#lastMicros = toMicros
  }

  /** @param {RequestContext} context */
  #connectionNumber ({ connection }) {
    if (connection === null) return 0
    if (connection.number === 0) connection.number = ++this.#connections
    return connection.number
  }

  /**
   * @param {number} micros  now
   * @returns {RequestBatch | null} null: no request
   */
  take (micros) {
    const numbers = this.#numbers
    const fromMicros = this.#fromMicros
    this.#fromMicros = micros
    if (numbers === null || this.#count === 0) return null
    /** @type {RequestBatch} */
    const batch = {
      routes: [...this.#routes.keys()],
      numbers: numbers.slice(0, this.#count * FIELDS),
      fromMicros,
      toMicros: this.#isFull ? this.#lastMicros : micros
    }
    if (this.#isFull) this.#routes.clear()
    this.#count = 0
    this.#isFull = false
    return batch
  }
}

module.exports = { RequestLog, MAX_REQUESTS }
