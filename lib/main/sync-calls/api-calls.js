'use strict'

// All calls of one API: how many there were and how long they took, counted one by one, and the sites that they are divided among.
//
// At an API that is called often not every stack is read, so each site is an estimate; the total is not. What the drawn calls of all sites
// stand for is scaled to what is left of the total (a ratio estimator): the sum over the sites is exact, and so is a site that is alone.

/** @import { Amount, Site } from './site' */
/** @import { Target } from './targets' */

// The scale that leaves out what is drawn and not settled yet.
const SETTLED_ONLY = Object.freeze({ calls: 0, ms: 0 })

class ApiCalls {
  #target
  /** @type {Site[]} */
  #sites = []
  /** Exact. */
  calls = 0
  /** Exact; 0 where calls are not timed. */
  ms = 0
  /** What sites have for good. */
  #settled = { calls: 0, ms: 0 }

  /** @param {Target} target */
  constructor (target) {
    this.#target = target
  }

  get api () { return this.#target.api }
  get sites () { return this.#sites }

  /** @param {Site} site */
  addSite (site) {
    this.#sites.push(site)
  }

  /**
   * @param {Site} site  one of these
   * @param {number} weight
   * @param {number} ms
   * @param {string | null} route
   */
  add (site, weight, ms, route) {
    site.add(weight, ms, route)
    if (weight !== 1) return
    this.#settled.calls++
    this.#settled.ms += ms
  }

  /** Once a second or so: what was drawn since is divided for good, so that counters made of it never go back. */
  settle () {
    const drawn = this.#sum(site => site.drawn)
    if (drawn.calls === 0) return
    const scale = this.#scaleOf(drawn)
    for (const site of this.#sites) site.settle(scale)
    this.#settled.calls += drawn.calls * scale.calls
    this.#settled.ms += drawn.ms * scale.ms
  }

  /**
   * @param {object} options
   * @param {boolean} options.isSettled  only what is settled
   */
  read ({ isSettled }) {
    const scale = isSettled ? SETTLED_ONLY : this.#scaleOf(this.#sum(site => site.drawn))
    const errorOf = this.#standardErrors(scale)
    return this.#sites.map(site => ({ site, reading: { ...site.read(scale), standardError: errorOf(site) } }))
  }

  /**
   * Of a site's part p in all estimated calls, whose sum is known: its own variance counts (1 - p)², that of the others p².
   * @param {Amount} scale
   */
  #standardErrors (scale) {
    const parts = (/** @type {Site} */ { estimated, drawn }) =>
      ({ calls: estimated.calls + drawn.calls * scale.calls, ms: estimated.ms + drawn.ms * scale.ms })
    const all = this.#sum(parts)
    const variance = this.#sum(site => site.variance)
    return (/** @type {Site} */ site) => {
      const own = parts(site)
      return {
        calls: Math.ceil(standardError(site.variance.calls, variance.calls, own.calls / all.calls)),
        totalMs: standardError(site.variance.ms, variance.ms, own.ms / all.ms)
      }
    }
  }

  /** @param {Amount} drawn */
  #scaleOf (drawn) {
    return {
      calls: drawn.calls === 0 ? 0 : Math.max(0, this.calls - this.#settled.calls) / drawn.calls,
      ms: drawn.ms === 0 ? 0 : Math.max(0, this.ms - this.#settled.ms) / drawn.ms
    }
  }

  /** @param {(site: Site) => Amount} amountOf */
  #sum (amountOf) {
    const sum = { calls: 0, ms: 0 }
    for (const site of this.#sites) {
      const { calls, ms } = amountOf(site)
      sum.calls += calls
      sum.ms += ms
    }
    return sum
  }
}

/**
 * @param {number} own  variance
 * @param {number} all  variance of all sites
 * @param {number} part  of the estimated whole; NaN where there is none
 */
function standardError (own, all, part) {
  return Number.isNaN(part) ? 0 : Math.sqrt(own * (1 - part) ** 2 + (all - own) * part ** 2)
}

module.exports = { ApiCalls }
