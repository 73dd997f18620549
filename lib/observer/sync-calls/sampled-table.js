'use strict'

// The synchronous calls that the recorder's windows showed so far: by API and caller, with the time they took and their
// routes. Bounded; what comes after is one more caller, _other. It lives in the observer thread.

const { findSampledCalls, siteKey } = require('../../shared/sync-calls/sampled')

/** @import { CallFrame, CpuProfile } from '../../../types/profile' */
/** @import { SampledCall } from '../../shared/sync-calls/sampled' */

const MAX_SITES = 500
const MAX_ROUTES = 20
const OTHER = '_other'

/**
 * @typedef {SampledCall & { shown?: CallFrame }} SampledSite  shown: the caller, in the code as it was written
 *
 * @typedef {object} SampledReading  since start
 * @property {number} busyMicros     all the time that was not idle
 * @property {number} idleMicros
 * @property {SampledSite[]} sites   heaviest first
 */

function createSampledTable () {
  return new SampledTable()
}

class SampledTable {
  /** @type {Map<string, SampledSite>} */
  #sites = new Map()
  #busyMicros = 0
  #idleMicros = 0

  /** @param {CpuProfile} window  with the routes of its samples */
  add (window) {
    const { calls, busyMicros } = findSampledCalls(window)
    this.#busyMicros += busyMicros
    this.#idleMicros += window.endTime - window.startTime - busyMicros
    for (const call of calls) this.#merge(call)
  }

  /** @param {SampledReading} reading  of another table, which this one goes on with */
  resume ({ busyMicros, idleMicros, sites }) {
    this.#busyMicros = busyMicros
    this.#idleMicros = idleMicros
    this.#sites = new Map(sites.map(site => [site.api === OTHER ? OTHER : siteKey(site.api, site.caller), site]))
  }

  /** @returns {SampledReading} */
  read () {
    const sites = [...this.#sites.values()].sort((left, right) => right.micros - left.micros)
    return { busyMicros: this.#busyMicros, idleMicros: this.#idleMicros, sites }
  }

  /** @param {SampledCall} call */
  #merge ({ api, caller, micros, routes }) {
    const site = this.#siteOf(api, caller)
    site.micros += micros
    for (const [route, routeMicros] of routes) {
      const name = site.routes.has(route) || site.routes.size < MAX_ROUTES ? route : OTHER
      site.routes.set(name, (site.routes.get(name) ?? 0) + routeMicros)
    }
  }

  /**
   * @param {string} api
   * @param {CallFrame} caller
   * @returns {SampledSite}
   */
  #siteOf (api, caller) {
    const key = siteKey(api, caller)
    const known = this.#sites.get(key) ?? (this.#sites.size < MAX_SITES ? undefined : this.#sites.get(OTHER))
    if (known !== undefined) return known
    const isLast = this.#sites.size === MAX_SITES - 1
    const site = isLast ? { api: OTHER, caller: NOBODY, micros: 0, routes: new Map() } : { api, caller, micros: 0, routes: new Map() }
    this.#sites.set(isLast ? OTHER : key, site)
    return site
  }
}

/** @type {CallFrame} */
const NOBODY = Object.freeze({ functionName: OTHER, scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 })

module.exports = { createSampledTable }
