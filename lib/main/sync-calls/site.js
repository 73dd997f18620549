'use strict'

// What is known of one API called at one place: how often, how long, on which routes, and how much of it lately.

/** @import { Place } from './call-site' */
/** @import { Target } from './targets' */

const MAX_ROUTES = 20 // of one site; the rest is one more, _other
const OTHER = '_other'

/**
 * @typedef {object} RouteShare
 * @property {string | null} route  null outside requests
 * @property {number} calls
 * @property {number} ms
 */

class Site {
  #target
  #place
  #calls = 0
  #totalMs = 0
  #maxMs = 0
  /** @type {Map<string | null, RouteShare>} */
  #routes = new Map()
  #lately = 0
  flagged = false

  /**
   * @param {Target} target
   * @param {Place} place
   */
  constructor (target, place) {
    this.#target = target
    this.#place = place
  }

  get target () { return this.#target }
  get place () { return this.#place }

  /**
   * @param {number} weight  for how many calls this one stands
   * @param {number} ms      that this one took
   * @param {string | null} route
   */
  add (weight, ms, route) {
    this.#calls += weight
    this.#totalMs += weight * ms
    if (ms > this.#maxMs) this.#maxMs = ms
    this.#lately += this.#target.isCounted ? weight : weight * ms
    const share = this.#shareOf(route)
    share.calls += weight
    share.ms += weight * ms
  }

  /** @returns {number} calls, or milliseconds where the API is timed, since this was last asked */
  takeLately () {
    const lately = this.#lately
    this.#lately = 0
    return lately
  }

  read () {
    return {
      calls: Math.round(this.#calls),
      totalMs: this.#totalMs,
      maxMs: this.#maxMs,
      routes: [...this.#routes.values()]
        .map(({ route, calls, ms }) => ({ route, calls: Math.round(calls), ms }))
        .sort((a, b) => b.ms - a.ms || b.calls - a.calls)
    }
  }

  /** @param {string | null} route */
  #shareOf (route) {
    const name = this.#routes.has(route) || this.#routes.size < MAX_ROUTES ? route : OTHER
    let share = this.#routes.get(name)
    if (share === undefined) this.#routes.set(name, share = { route: name, calls: 0, ms: 0 })
    return share
  }
}

module.exports = { Site, OTHER }
