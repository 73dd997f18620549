'use strict'

// The last stalls, how many there have been of each cause, and for how long of each route. Totals are never reset; the lists are bounded.

const { CAUSE_NAMES } = require('./stall-line')

/** @import { Stall } from '../../../types/diagnostics' */

const MAX_STALLS = 200
const MAX_ROUTES = 100
const OTHER = '_other'

class StallLog {
  /** @type {Stall[]} */
  #stalls = []
  #totals = new Map(CAUSE_NAMES.map(cause => [cause, { cause, count: 0, seconds: 0 }]))
  /** @type {Map<string | null, number>} */
  #secondsOfRoute = new Map()

  /** @param {Stall} stall */
  add (stall) {
    this.#stalls.push(stall)
    if (this.#stalls.length > MAX_STALLS) this.#stalls.shift()
    const total = /** @type {{ count: number, seconds: number }} */ (this.#totals.get(stall.cause))
    total.count++
    total.seconds += stall.durationMs / 1e3
    const route = this.#secondsOfRoute.has(stall.route) || this.#secondsOfRoute.size < MAX_ROUTES ? stall.route : OTHER
    this.#secondsOfRoute.set(route, (this.#secondsOfRoute.get(route) ?? 0) + stall.durationMs / 1e3)
  }

  /**
   * @param {Stall} stall  of which more is known than before
   * @returns {boolean} false: there is none to be replaced
   */
  replace (stall) {
    const index = this.#stalls.findLastIndex(({ id }) => id === stall.id)
    if (index === -1) return false
    this.#stalls[index] = stall
    return true
  }

  /**
   * @param {number} id
   * @returns {Stall | undefined}
   */
  find (id) {
    return this.#stalls.findLast(stall => stall.id === id)
  }

  /** Newest first. */
  list () {
    return this.#stalls.toReversed()
  }

  totals () {
    return [...this.#totals.values()].map(total => ({ ...total }))
  }

  /** @returns {{ route: string | null, seconds: number }[]} null: it stalled for no request, or it is not known for which */
  routeTotals () {
    return [...this.#secondsOfRoute].map(([route, seconds]) => ({ route, seconds }))
  }
}

module.exports = { StallLog }
