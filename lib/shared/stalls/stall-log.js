'use strict'

// The last stalls, and how many there have been of each cause. Totals are never reset; the list is bounded.

const { CAUSE_NAMES } = require('./causes')

/** @import { Stall } from '../../../types/diagnostics' */

const MAX_STALLS = 200

function createStallLog () {
  return new StallLog()
}

class StallLog {
  /** @type {Stall[]} */
  #stalls = []
  #totals = new Map(CAUSE_NAMES.map(cause => [cause, { cause, count: 0, seconds: 0 }]))

  /** @param {Stall} stall */
  add (stall) {
    this.#stalls.push(stall)
    if (this.#stalls.length > MAX_STALLS) this.#stalls.shift()
    const total = /** @type {{ count: number, seconds: number }} */ (this.#totals.get(stall.cause))
    total.count++
    total.seconds += stall.durationMs / 1e3
  }

  /** Newest first. */
  list () {
    return this.#stalls.toReversed()
  }

  totals () {
    return [...this.#totals.values()].map(total => ({ ...total }))
  }
}

module.exports = { createStallLog }
