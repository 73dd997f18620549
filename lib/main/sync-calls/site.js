'use strict'

// What is known of one API called at one place: how often, how long, on which routes, and how much of it is new.
//
// Calls that were all looked at are counted; of the others some were drawn and stand for more (sampler.js). What the drawn ones stand
// for is scaled, so that the sites of an API together have as many calls and milliseconds as were counted of it (api-calls.js).

/** @import { Place } from './call-site' */
/** @import { Target } from './targets' */

const MAX_ROUTES = 20 // of one site; the rest is one more, _other
const OTHER = '_other'

/**
 * @typedef {object} Amount
 * @property {number} calls
 * @property {number} ms
 *
 * @typedef {Amount & { route: string | null }} RouteShare  route: null outside requests
 *
 * @typedef {object} RouteAmounts
 * @property {string | null} route
 * @property {Amount} counted
 * @property {Amount} drawn  what drawn calls stand for since settle(), not scaled
 */

class Site {
  #target
  #place
  #maxMs = 0
  /** @type {Map<string | null, RouteAmounts>} */
  #routes = new Map()
  #recent = 0
  flagged = false
  /** What drawn calls stand for since settle(), not scaled. */
  drawn = { calls: 0, ms: 0 }
  /** What earlier ones were settled at. */
  estimated = { calls: 0, ms: 0 }
  /** Of what drawn calls stand for: Horvitz and Thompson's estimator, the sum of w(w - 1)x² over calls x drawn with weight w. */
  variance = { calls: 0, ms: 0 }

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
    if (ms > this.#maxMs) this.#maxMs = ms
    this.#recent += this.#target.isCounted ? weight : weight * ms
    const amounts = this.#amountsOf(route)
    if (weight === 1) return addTo(amounts.counted, 1, ms)
    addTo(amounts.drawn, weight, weight * ms)
    addTo(this.drawn, weight, weight * ms)
    addTo(this.variance, weight * (weight - 1), weight * (weight - 1) * ms * ms)
  }

  /** @returns {number} calls, or milliseconds where the API is timed, since this was last asked */
  takeRecent () {
    const recent = this.#recent
    this.#recent = 0
    return recent
  }

  /**
   * What was drawn so far stands for this much, for good.
   * @param {Amount} scale
   */
  settle (scale) {
    for (const { counted, drawn } of this.#routes.values()) {
      addTo(counted, drawn.calls * scale.calls, drawn.ms * scale.ms)
      drawn.calls = drawn.ms = 0
    }
    addTo(this.estimated, this.drawn.calls * scale.calls, this.drawn.ms * scale.ms)
    this.drawn.calls = this.drawn.ms = 0
  }

  /** @param {Amount} scale  of what was drawn since settle(); 0 leaves it out */
  read (scale) {
    const routes = [...this.#routes.values()].map(({ route, counted, drawn }) =>
      ({ route, calls: counted.calls + drawn.calls * scale.calls, ms: counted.ms + drawn.ms * scale.ms }))
    return {
      calls: Math.round(routes.reduce((sum, { calls }) => sum + calls, 0)),
      totalMs: routes.reduce((sum, { ms }) => sum + ms, 0),
      maxMs: this.#maxMs,
      routes: routes.map(({ route, calls, ms }) => ({ route, calls: Math.round(calls), ms }))
        .sort((a, b) => b.ms - a.ms || b.calls - a.calls)
    }
  }

  /** @param {string | null} route */
  #amountsOf (route) {
    const name = this.#routes.has(route) || this.#routes.size < MAX_ROUTES ? route : OTHER
    let amounts = this.#routes.get(name)
    if (amounts === undefined) {
      amounts = { route: name, counted: { calls: 0, ms: 0 }, drawn: { calls: 0, ms: 0 } }
      this.#routes.set(name, amounts)
    }
    return amounts
  }
}

/**
 * @param {Amount} amount
 * @param {number} calls
 * @param {number} ms
 */
function addTo (amount, calls, ms) {
  amount.calls += calls
  amount.ms += ms
}

module.exports = { Site, OTHER }
