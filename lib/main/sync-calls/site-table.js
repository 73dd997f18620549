'use strict'

// Call sites by API and place, up to a limit; what comes after it is one more site of each API, _other.

const { ApiCalls } = require('./api-calls')
const { Site, OTHER } = require('./site')

/** @import { Place } from './call-site' */
/** @import { Target } from './targets' */

/** @type {Readonly<Place>} */
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
   * A call that was looked at.
   * @param {Target} target
   * @param {Place} place
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

  /**
   * @param {Target} target
   * @param {Place} place
   */
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

  /**
   * @template K
   * @param {Map<K, Site>} sites
   * @param {K} key
   * @param {Target} target
   * @param {Place} place
   */
  #addSite (sites, key, target, place) {
    const site = new Site(target, place)
    sites.set(key, site)
    this.callsOf(target).addSite(site)
    return site
  }
}

module.exports = { SiteTable }
