'use strict'

// Call sites by API and place, up to a limit; what comes after it is one more site of each API, _other.

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

  /** @param {number} maxSites */
  constructor (maxSites) {
    this.#maxSites = maxSites
  }

  /**
   * @param {Target} target
   * @param {Place} place
   */
  siteOf (target, place) {
    const key = `${target.api} ${place.file}:${place.line}:${place.column}`
    let site = this.#sites.get(key)
    if (site !== undefined) return site
    if (this.#sites.size >= this.#maxSites) return this.#otherOf(target)
    this.#sites.set(key, site = new Site(target, place))
    return site
  }

  /** @returns {Site[]} in the order in which they were met */
  list () {
    return [...this.#sites.values(), ...this.#others.values()]
  }

  /** @param {Target} target */
  #otherOf (target) {
    let other = this.#others.get(target)
    if (other === undefined) this.#others.set(target, other = new Site(target, OTHER_PLACE))
    return other
  }
}

module.exports = { SiteTable }
