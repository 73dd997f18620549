'use strict'

// Collects the synchronous calls that the recorder's windows have shown since start, by API and caller: their time, their share of the busy time,
// their routes and what to call instead. Notable ones are flagged, and logged once an hour.

const { unattended } = require('../../base/guard')
const { exactParts, roundedSum } = require('../../base/exact-sum')
const { monotonicMs } = require('../../base/monotonic')
const { toCodeFrame } = require('../../formats/profile/frame')
const { createWorkLineOf } = require('../../formats/profile/work-lines')
const { FlagLog, Flags } = require('../../shared/sync-calls/flags')
const { sumByRoute } = require('../../shared/sync-calls/totals')
const { findSampledCalls, siteKey } = require('./sampled')

/** @import { SampledSyncCall } from '../../../types/diagnostics' */
/** @import { CallFrame, CpuProfile, WorkLine } from '../../../types/profile' */
/** @import { SourceMaps } from '../../source-maps/source-maps' */
/** @import { SampledCall } from './sampled' */

const MAX_SITES = 500
const MAX_ROUTES = 20
const OTHER = '_other'
/** @type {CallFrame} */
const OTHER_CALLER = Object.freeze({ functionName: OTHER, scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 })

// At 100 samples a second this is five samples a second: less could be chance.
const FLAG_MS_PER_SECOND = 50
// A requested window may be much shorter than one that ends by itself.
const MIN_FLAG_PERIOD_MS = 1000

class SampledCalls {
  #parts
  #now
  #flags = new Flags({ msPerSecond: FLAG_MS_PER_SECOND, callsPerSecond: Infinity })
  #flagLog
  #flaggedAtMs = -Infinity
  /** Bounded; later sites are counted in one more site, _other. @type {Map<string, SampledSite>} */
  #sites = new Map()
  #busyMicros = 0

  /**
   * @param {object} parts
   * @param {string} parts.appRoot
   * @param {boolean} parts.hasExactCalls  the exact detector runs too: its figures are better, so its flags are the ones logged
   * @param {Pick<SourceMaps, 'known' | 'frames'>} parts.sourceMaps
   * @param {() => WorkLine[]} parts.workLines  from stalls: samples show where a function begins, stalls the line that was running
   * @param {(fields: object, message: string) => void} parts.warn
   * @param {() => number} [parts.now]  milliseconds, monotonic
   */
  constructor ({ now = monotonicMs, ...parts }) {
    this.#parts = parts
    this.#now = now
    this.#flagLog = new FlagLog(parts)
  }

  /**
   * @param {CpuProfile} window  with the routes of its samples
   * @returns {{ busyMicros: number, idleMicros: number }} the busy and idle time of the window
   */
  addWindow (window) {
    const { calls, busyMicros } = findSampledCalls(window)
    this.#busyMicros += busyMicros
    for (const { api, caller, micros, routes } of calls) this.#siteOf(api, caller).add(micros, routes)
    // Positions are resolved now, so that they are available for readers.
    unattended(this.#parts.sourceMaps.frames(this.#callers()))
    this.#flag()
    return { busyMicros, idleMicros: window.endTime - window.startTime - busyMicros }
  }

  /** @returns {SampledSyncCall[]} heaviest first */
  read () {
    return this.#show([...this.#sites.values()]).sort((left, right) => right.ms - left.ms)
  }

  /** For the metrics: cumulative, by API and route. */
  counts () {
    const sites = [...this.#sites.values()].map(({ api, routes }) => ({ api, routes }))
    return { sampled: sumByRoute(sites), flagged: this.#flagLog.counts() }
  }

  #flag () {
    const nowMs = this.#now()
    if (nowMs - this.#flaggedAtMs < MIN_FLAG_PERIOD_MS) return
    this.#flaggedAtMs = nowMs
    const due = this.#flags.tick([...this.#sites.values()], nowMs)
    if (this.#parts.hasExactCalls) return
    for (const call of this.#show(due)) this.#flagLog.add(call, `${Math.round(call.share * 100)} % of the busy time so far`)
  }

  #callers () {
    return [...this.#sites.values()].map(({ caller }) => caller)
  }

  /**
   * @param {SampledSite[]} sites
   * @returns {SampledSyncCall[]}
   */
  #show (sites) {
    const { appRoot, sourceMaps, workLines } = this.#parts
    const workLineOf = createWorkLineOf(workLines())
    const callers = sourceMaps.known(sites.map(({ caller }) => caller))
    return sites.map(({ api, micros, routes, flagged }, index) => ({
      api,
      callSite: toCodeFrame(callers[index], appRoot, workLineOf),
      ms: micros / 1e3,
      share: this.#busyMicros === 0 ? 0 : micros / this.#busyMicros,
      routes,
      flagged,
      advice: require('../../shared/sync-calls/advice').adviceOf(api) // loaded with the first one
    }))
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
    const site = isLast ? new SampledSite(OTHER, OTHER_CALLER) : new SampledSite(api, caller)
    this.#sites.set(isLast ? OTHER : key, site)
    return site
  }
}

/** One API called by one function: how long, on which routes, and how much of it is new. */
class SampledSite {
  target = { isCounted: false }
  flagged = false
  micros = 0
  #takenMicros = 0
  /** @type {Map<string, number>} */
  #routes = new Map()

  /**
   * @param {string} api
   * @param {CallFrame} caller
   */
  constructor (api, caller) {
    this.api = api
    this.caller = caller
  }

  /**
   * @param {number} micros
   * @param {SampledCall['routes']} routes
   */
  add (micros, routes) {
    this.micros += micros
    for (const [route, routeMicros] of routes) {
      const name = this.#routes.has(route) || this.#routes.size < MAX_ROUTES ? route : OTHER
      this.#routes.set(name, (this.#routes.get(name) ?? 0) + routeMicros)
    }
  }

  /** @returns {number} milliseconds since the last call */
  takeRecent () {
    const micros = this.micros - this.#takenMicros
    this.#takenMicros = this.micros
    return micros / 1e3
  }

  /** Heaviest first. @returns {{ route: string | null, ms: number }[]} */
  get routes () {
    const known = [...this.#routes].map(([route, micros]) => ({ route: /** @type {string | null} */ (route), ms: micros / 1e3 }))
    const restMs = (this.micros - roundedSum(exactParts([...this.#routes.values()]))) / 1e3
    // For code that ran after an await or outside requests the samples have no route.
    const rest = restMs >= 1 ? [{ route: null, ms: restMs }] : []
    return [...known, ...rest].sort((left, right) => right.ms - left.ms)
  }
}

module.exports = { SampledCalls }
