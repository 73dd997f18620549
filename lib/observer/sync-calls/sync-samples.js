'use strict'

// The synchronous calls that the recorder's windows showed so far, by API and caller, with the time they took and their routes; the main
// thread is sent what is known with each window. It lives in the observer thread.

const { unattended } = require('../../shared/base/guard')
const { findSampledCalls, siteKey } = require('../../shared/sync-calls/sampled')

/** @import { CallFrame, CpuProfile } from '../../../types/profile' */
/** @import { SourceMaps } from '../../shared/source-maps/source-maps' */
/** @import { SampledCall } from '../../shared/sync-calls/sampled' */

/** @type {Pick<SourceMaps, 'known' | 'frames'>} */
const NO_MAPS = Object.freeze({ known: frames => [...frames], frames: async frames => [...frames] })
const MAX_SITES = 500
const MAX_ROUTES = 20
const OTHER = '_other'
/** @type {CallFrame} */
const NOBODY = Object.freeze({ functionName: OTHER, scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 })

/**
 * @typedef {SampledCall & { shown?: CallFrame }} SampledSite  shown: the caller, in the code as it was written
 *
 * @typedef {object} SampledReading  since start
 * @property {number} busyMicros     all the time that was not idle
 * @property {number} idleMicros
 * @property {SampledSite[]} sites   heaviest first
 */

/**
 * @param {object} parts
 * @param {(reading: SampledReading) => void} parts.send
 * @param {Pick<SourceMaps, 'known' | 'frames'>} [parts.sourceMaps]
 */
function createSyncSamples ({ send, sourceMaps = NO_MAPS }) {
  const table = new SampledTable()

  /** What is known now; and once more when more is known of where the callers were written. */
  function tell () {
    const { reading, callers, shown } = read()
    send(reading)
    unattended(tellMore(callers, shown))
  }

  function read () {
    const reading = table.read()
    const callers = reading.sites.map(({ caller }) => caller)
    const shown = sourceMaps.known(callers)
    const sites = reading.sites.map((site, index) => shown[index] === site.caller ? site : { ...site, shown: shown[index] })
    return { reading: { ...reading, sites }, callers, shown }
  }

  /**
   * @param {CallFrame[]} callers
   * @param {CallFrame[]} shown
   */
  async function tellMore (callers, shown) {
    const learned = await sourceMaps.frames(callers)
    if (callers.some((caller, index) => shown[index] === caller && learned[index] !== caller)) tell()
  }

  return {
    /**
     * What a thread before this one had read counts on.
     * @param {SampledReading} reading
     */
    resume (reading) {
      table.resume(reading)
    },
    read: () => read().reading,
    /** @param {CpuProfile} window  with the routes of its samples */
    addWindow (window) {
      table.add(window)
      tell()
    }
  }
}

/** Bounded; what comes after is one more caller, _other. */
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

module.exports = { SampledTable, createSyncSamples }
