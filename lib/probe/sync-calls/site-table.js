'use strict'

// The table of call sites by API and place, up to a limit; further ones are added to one more site of each API, _other.
//
// Not every stack of a frequently called API is read (meters.js), so each site is an estimate; the total of the API is not. Calls that were all
// recorded are counted; of the others some were sampled and stand for more. What the sampled calls of all sites stand for is scaled to the rest of
// the total (a ratio estimator): the sum over the sites is exact, and so is the only site of an API.

const { MAX_ROUTES } = require('../../shared/sync-calls/totals')

/** @import { CallPlace } from '../call-sites' */
/** @import { Target } from './targets' */

/**
 * @typedef {{ calls: number, ms: number }} Amount
 *
 * @typedef {object} RouteAmounts
 * @property {string | null} route
 * @property {Amount} counted
 * @property {Amount} sampled  what sampled calls stand for since settle(), not scaled
 */

const OTHER = '_other'

// The scale that excludes what was sampled and is not settled yet.
const SETTLED_ONLY = Object.freeze({ calls: 0, ms: 0 })

/** @type {Readonly<CallPlace>} */
const OTHER_PLACE = Object.freeze({ function: OTHER, file: '', line: 0, column: 0 })

class SiteTable {
  #maxSites
  /** @type {Map<string, Site>} */
  #sites = new Map()
  /** @type {Map<Target, Site>} */
  #others = new Map()
  /** @type {Map<Target, ApiCalls>} */
  #apis = new Map()

  /** @param {number} maxSites */
  constructor (maxSites) {
    this.#maxSites = maxSites
  }

  /**
   * Adds a recorded call.
   * @param {Target} target
   * @param {CallPlace} place
   * @param {number} weight
   * @param {number} ms
   * @param {string | null} route
   */
  add (target, place, weight, ms, route) {
    this.callsOf(target).add(this.#siteOf(target, place), weight, ms, route)
  }

  /** @param {Target} target */
  callsOf (target) {
    let calls = this.#apis.get(target)
    if (calls === undefined) this.#apis.set(target, calls = new ApiCalls(target))
    return calls
  }

  /** @returns {ApiCalls[]} in the order in which they were met */
  apis () {
    return [...this.#apis.values()]
  }

  /** @returns {{ api: string, calls: number, totalMs: number }[]} exact, heaviest first */
  totals () {
    return this.apis().filter(({ calls }) => calls > 0)
      .map(({ api, calls, ms }) => ({ api, calls, totalMs: ms }))
      .sort((a, b) => b.totalMs - a.totalMs || b.calls - a.calls)
  }

  /** @returns {Site[]} */
  list () {
    return this.apis().flatMap(({ sites }) => sites)
  }

  /** @param {Target} target @param {CallPlace} place */
  #siteOf (target, place) {
    const key = `${target.api} ${place.file}:${place.line}:${place.column}`
    const site = this.#sites.get(key)
    if (site !== undefined) return site
    return this.#sites.size < this.#maxSites ? this.#addSite(this.#sites, key, target, place) : this.#otherOf(target)
  }

  /** @param {Target} target */
  #otherOf (target) {
    return this.#others.get(target) ?? this.#addSite(this.#others, target, target, OTHER_PLACE)
  }

  /** @template K @param {Map<K, Site>} sites @param {K} key @param {Target} target @param {CallPlace} place */
  #addSite (sites, key, target, place) {
    const site = new Site(target, place)
    sites.set(key, site)
    this.callsOf(target).addSite(site)
    return site
  }
}

/** All calls of one API: how many there were and how long they took, counted exactly, and the sites that they are divided among. */
class ApiCalls {
  #target
  /** @type {Site[]} */
  #sites = []
  /** Exact. */
  calls = 0
  /** Exact; 0 where calls are not timed. */
  ms = 0
  /** The part finally divided among the sites. */
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

  /** About once a second: finally divides what was sampled since, so that counters based on it never decrease. */
  settle () {
    const sampled = this.#sum(site => site.sampled)
    if (sampled.calls === 0) return
    const scale = this.#scaleOf(sampled)
    for (const site of this.#sites) site.settle(scale)
    this.#settled.calls += sampled.calls * scale.calls
    this.#settled.ms += sampled.ms * scale.ms
  }

  /**
   * @param {object} options
   * @param {boolean} options.isSettled  only what is settled
   */
  read ({ isSettled }) {
    const scale = isSettled ? SETTLED_ONLY : this.#scaleOf(this.#sum(site => site.sampled))
    const errorOf = this.#standardErrors(scale)
    return this.#sites.map(site => ({ site, reading: { ...site.read(scale), standardError: errorOf(site) } }))
  }

  /**
   * For a site's part p of all estimated calls, whose sum is exact: its own variance counts (1 - p)², that of the others p².
   * @param {Amount} scale
   */
  #standardErrors (scale) {
    const parts = (/** @type {Site} */ { estimated, sampled }) =>
      ({ calls: estimated.calls + sampled.calls * scale.calls, ms: estimated.ms + sampled.ms * scale.ms })
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

  /** @param {Amount} sampled */
  #scaleOf (sampled) {
    return {
      calls: sampled.calls === 0 ? 0 : Math.max(0, this.calls - this.#settled.calls) / sampled.calls,
      ms: sampled.ms === 0 ? 0 : Math.max(0, this.ms - this.#settled.ms) / sampled.ms
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
 * @param {number} part  of the estimated total; NaN where there is none
 */
function standardError (own, all, part) {
  return Number.isNaN(part) ? 0 : Math.sqrt(own * (1 - part) ** 2 + (all - own) * part ** 2)
}

/** One API called at one place: how often, how long, on which routes, and how much of it is new. */
class Site {
  #target
  #place
  #maxMs = 0
  /** @type {Map<string | null, RouteAmounts>} */
  #routes = new Map()
  #recent = 0
  flagged = false
  /** What sampled calls stand for since settle(), not scaled. */
  sampled = { calls: 0, ms: 0 }
  /** The settled amount of earlier ones. */
  estimated = { calls: 0, ms: 0 }
  /** Variance of what sampled calls stand for: Horvitz and Thompson's estimator, the sum of w(w - 1)x² over calls x sampled with weight w. */
  variance = { calls: 0, ms: 0 }

  /** @param {Target} target @param {CallPlace} place */
  constructor (target, place) {
    this.#target = target
    this.#place = place
  }

  get target () { return this.#target }
  get place () { return this.#place }

  /**
   * @param {number} weight  number of calls that it stands for
   * @param {number} ms      its duration
   * @param {string | null} route
   */
  add (weight, ms, route) {
    if (ms > this.#maxMs) this.#maxMs = ms
    this.#recent += this.#target.isCounted ? weight : weight * ms
    const amounts = this.#amountsOf(route)
    if (weight === 1) return addTo(amounts.counted, 1, ms)
    addTo(amounts.sampled, weight, weight * ms)
    addTo(this.sampled, weight, weight * ms)
    addTo(this.variance, weight * (weight - 1), weight * (weight - 1) * ms * ms)
  }

  /** @returns {number} calls, or milliseconds where the API is timed, since the last call */
  takeRecent () {
    const recent = this.#recent
    this.#recent = 0
    return recent
  }

  /** What was sampled so far is finally set to this amount. @param {Amount} scale */
  settle (scale) {
    for (const { counted, sampled } of this.#routes.values()) {
      addTo(counted, sampled.calls * scale.calls, sampled.ms * scale.ms)
      sampled.calls = sampled.ms = 0
    }
    addTo(this.estimated, this.sampled.calls * scale.calls, this.sampled.ms * scale.ms)
    this.sampled.calls = this.sampled.ms = 0
  }

  /** @param {Amount} scale  of what was sampled since settle(); 0 excludes it */
  read (scale) {
    const routes = [...this.#routes.values()].map(({ route, counted, sampled }) =>
      ({ route, calls: counted.calls + sampled.calls * scale.calls, ms: counted.ms + sampled.ms * scale.ms }))
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
      amounts = { route: name, counted: { calls: 0, ms: 0 }, sampled: { calls: 0, ms: 0 } }
      this.#routes.set(name, amounts)
    }
    return amounts
  }
}

/** @param {Amount} amount @param {number} calls @param {number} ms */
function addTo (amount, calls, ms) {
  amount.calls += calls
  amount.ms += ms
}

module.exports = { ApiCalls, Site, SiteTable }
