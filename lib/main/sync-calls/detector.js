'use strict'

// The exact sync-call detector: puts a wrapper in the place of every synchronous API of the table, and tells which call
// sites use them, how often, for how long and on which route. It does not see functions that somebody took out of their
// module before start() (`const { readFileSync } = require('fs')` further up); the recorder's samples do.

const { performance } = require('node:perf_hooks')
const { guarded } = require('../../shared/base/guard')
const { adviceOf } = require('../../shared/sync-calls/advice')
const { createArming } = require('./arming')
const { makeCountedDate } = require('./wrapping/counted-date')
const { Flags } = require('./flags')
const { Gate } = require('./wrapping/pauses')
const { CountedMeter, TimedMeter } = require('./wrapping/meters')
const { toOriginal } = require('./original-place')
const { Patches } = require('./wrapping/patches')
const { SiteTable } = require('./site-table')
const { DEFAULTS } = require('./settings')
const { placeOf, selectTargets } = require('./targets')
const { wrapCounted, wrapTimed, wrapToString } = require('./wrapping/wrapper')

/** @import { Advice } from '../../shared/sync-calls/advice' */
/** @import { Place } from './call-site' */
/** @import { Site, RouteShare } from './site' */
/** @import { Target } from './targets' */

const MAX_SITES = 500
const MAX_START_UP_SITES = 200
const ROLL_MS = 1000

/**
 * @typedef {object} DetectorOptions
 * @property {readonly string[]} [apis]       names of APIs, `fs.*`, `*`
 * @property {number} [thresholdMs]           calls from here on are looked at one by one, the others by sample
 * @property {number} [flagMsPerSecond]       blocked by one call site, over 10 s, from which on it is flagged
 * @property {number} [flagCallsPerSecond]    the same for APIs that are counted
 * @property {() => string | null} [routeNow] route of the work that runs now
 * @property {(site: SyncCallSite) => void} [onFlag]  once a site and hour
 * @property {(error: unknown) => void} [onFault]     what went wrong on our side
 * @property {(file: string) => string} [showFile]    how a path or URL is shown, e.g. relative to the application
 * @property {() => number} [now]             milliseconds, monotonic
 *
 * @typedef {object} SyncCallSite
 * @property {string} api
 * @property {Place} callSite
 * @property {number} calls       an estimate where the API is called more than about 100 times a second
 * @property {number} totalMs     the same; 0 for what is only counted
 * @property {number} maxMs       exact from thresholdMs on
 * @property {RouteShare[]} routes  heaviest first
 * @property {boolean} flagged
 * @property {Advice} advice
 *
 * @typedef {object} SyncCallReading
 * @property {SyncCallSite[]} sites  heaviest first
 * @property {{ totalMs: number, sites: SyncCallSite[] }} startUp  what ran before the detector was armed
 */

/**
 * @param {DetectorOptions} [options]
 * @throws ERR_LOOPSCOPE_INVALID_OPTION for an unknown API
 */
function createSyncCallDetector (options = {}) {
  return new SyncCallDetector(options)
}

class SyncCallDetector {
  #options
  #targets
  #gate = new Gate()
  #flags
  #startUp = new SiteTable(MAX_START_UP_SITES)
  #startUpMs = 0
  #sites = new SiteTable(MAX_SITES)
  #patches = new Patches()
  /** @type {(TimedMeter | CountedMeter)[]} */
  #meters = []
  #arming = createArming(() => { this.#armed = true })
  #armed = false
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /** @param {DetectorOptions} options */
  constructor ({
    apis = DEFAULTS.apis, thresholdMs = DEFAULTS.thresholdMs, flagMsPerSecond = DEFAULTS.flagMsPerSecond,
    flagCallsPerSecond = DEFAULTS.flagCallsPerSecond, routeNow = () => null, onFlag = () => {}, onFault = () => {},
    showFile = file => file, now = () => performance.now()
  }) {
    this.#options = { thresholdMs, routeNow, onFlag, onFault, showFile, now }
    this.#targets = selectTargets(apis, 'options.syncCalls.apis')
    this.#flags = new Flags({ msPerSecond: flagMsPerSecond, callsPerSecond: flagCallsPerSecond })
  }

  get running () { return this.#timer !== undefined }

  /** Whether start-up is over: set by the first server that listens, or by hand. */
  get armed () { return this.#armed }
  set armed (armed) {
    this.#armed = armed
    this.#arming.stop()
  }

  start () {
    if (this.running) return
    for (const target of this.#targets) this.#patch(target)
    this.#patches.apply(Function.prototype, 'toString', original => wrapToString(original, this.#patches.originals))
    this.#patches.publish()
    this.#timer = setInterval(guarded(() => this.#roll()), ROLL_MS).unref()
    if (!this.#armed) this.#arming.start()
    this.#gate.reopen()
  }

  /** Every original is back after this; what was counted stays to be read. */
  stop () {
    if (!this.running) return
    this.#gate.close()
    this.#arming.stop()
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#patches.restore()
    this.#patches.publish()
    this.#meters = []
  }

  /** @returns {SyncCallReading} */
  read () {
    return this.#gate.whileClosed(() => ({
      sites: this.#list(this.#sites),
      startUp: { totalMs: this.#startUpMs, sites: this.#list(this.#startUp) }
    }))
  }

  /** @param {Target} target */
  #patch (target) {
    const { holder, name } = placeOf(target)
    const parts = {
      target,
      gate: this.#gate,
      now: this.#options.now,
      thresholdMs: this.#options.thresholdMs,
      onFault: this.#options.onFault,
      record: this.#record,
      spend: this.#spend
    }
    const meter = target.isCounted ? new CountedMeter(parts) : new TimedMeter(parts)
    this.#meters.push(meter)
    this.#patches.apply(holder, name, original => replacementOf(original, meter))
    // The prototype stays the original's, and `new Date().constructor === Date` has to stay true as well.
    if (holder === globalThis && name === 'Date') this.#patches.apply(Date.prototype, 'constructor', () => Date)
  }

  /** @type {(target: Target, ms: number) => void} */
  #spend = (target, ms) => {
    if (!this.#armed) this.#startUpMs += ms
  }

  /** @type {(target: Target, place: Place, weight: number, ms: number) => void} */
  #record = (target, place, weight, ms) => {
    const route = this.#options.routeNow()
    const table = this.#armed ? this.#sites : this.#startUp
    table.siteOf(target, place).add(weight, ms, route)
  }

  #roll () {
    for (const meter of this.#meters) meter.roll()
    this.#gate.whileClosed(() => {
      try {
        const due = this.#flags.tick(this.#sites.list(), this.#options.now())
        for (const site of due) this.#options.onFlag(this.#show(site))
      } catch (error) {
        this.#options.onFault(error)
      }
    })
  }

  /** @param {SiteTable} table */
  #list (table) {
    return table.list().map(site => this.#show(site))
      .sort((a, b) => Number(b.flagged) - Number(a.flagged) || b.totalMs - a.totalMs || b.calls - a.calls)
  }

  /**
   * @param {Site} site
   * @returns {SyncCallSite}
   */
  #show (site) {
    const { api } = site.target
    const place = toOriginal(site.place)
    return {
      api,
      callSite: { ...place, file: this.#options.showFile(place.file) },
      ...site.read(),
      flagged: site.flagged,
      advice: adviceOf(api)
    }
  }
}

/**
 * @param {any} original
 * @param {TimedMeter | CountedMeter} meter
 */
function replacementOf (original, meter) {
  if (meter instanceof TimedMeter) return wrapTimed(original, meter)
  return original === Date ? makeCountedDate(original, meter) : wrapCounted(original, meter)
}

module.exports = { createSyncCallDetector }
