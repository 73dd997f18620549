'use strict'

// The exact sync-call detector: wraps every synchronous API of the table, and reports which call sites use them, how often, for how long and on which
// route. It misses functions that were taken out of their module before start() (`const { readFileSync } = require('fs')` further up); the
// recorder's samples include them.

const diagnosticsChannel = require('node:diagnostics_channel')
const { guarded } = require('../../base/guard')
const { clearInterval, performance, setInterval } = require('../../base/timers')
const { adviceOf } = require('../../shared/sync-calls/advice')
const { PendingStacks, createOriginalPlaces } = require('./call-site')
const { Flags } = require('../../shared/sync-calls/flags')
const { CountedMeter, Pauses, TimedMeter } = require('./meters')
const { SiteTable } = require('./site-table')
const { propertyOf, selectTargets } = require('./targets')
const { Patches, makeCountedDate, wrapCounted, wrapTimed, wrapToString } = require('./wrapper')

/** @import { ExactSyncCall, SyncCallOptions } from '../../../types/diagnostics' */
/** @import { CapturedStack } from '../call-sites' */
/** @import { ToOriginal } from './call-site' */
/** @import { ApiCalls, Site } from './site-table' */
/** @import { Target } from './targets' */

const MAX_SITES = 500
const MAX_START_UP_SITES = 200
const ROLL_MS = 1000
const LISTENING = 'tracing:net.server.listen:asyncEnd'

/**
 * @typedef {Required<SyncCallOptions> & DetectorParts} DetectorOptions
 *
 * @typedef {object} DetectorParts
 * @property {() => string | null} [routeNow] route of the running code
 * @property {(site: ExactSyncCall) => void} [onFlag]  at most once per site and hour
 * @property {(error: unknown) => void} [onFault]     an internal error
 * @property {(file: string) => string} [showFile]    how a path or URL is shown, e.g. relative to the application
 * @property {ToOriginal} [toOriginal]  requests positions in the original source
 * @property {() => number} [now]             milliseconds, monotonic
 *
 * @typedef {object} SyncCallReading
 * @property {{ api: string, calls: number, totalMs: number }[]} totals  exact, heaviest first
 * @property {ExactSyncCall[]} sites  heaviest first
 * @property {{ totalMs: number, sites: ExactSyncCall[] }} startUp  calls before the detector was armed
 */

class SyncCallDetector {
  #options
  #places
  #targets
  #pauses = new Pauses()
  #flags
  #startUp = new SiteTable(MAX_START_UP_SITES)
  #sites = new SiteTable(MAX_SITES)
  #patches = new Patches()
  #pending = new PendingStacks()
  /** @type {(TimedMeter | CountedMeter)[]} */
  #meters = []
  #serverStart = new ServerStart(() => this.#arm(true))
  #armed = false
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /** @param {DetectorOptions} options @throws ERR_LOOPSCOPE_INVALID_OPTION for an unknown API */
  constructor ({
    apis, thresholdMs, flagMsPerSecond, flagCallsPerSecond, routeNow = () => null, onFlag = () => {}, onFault = () => {},
    showFile = file => file, toOriginal, now = () => performance.now()
  }) {
    this.#options = { thresholdMs, routeNow, onFlag, onFault, showFile, now }
    this.#places = createOriginalPlaces(toOriginal)
    this.#targets = selectTargets(apis, 'options.syncCalls.apis')
    this.#flags = new Flags({ msPerSecond: flagMsPerSecond, callsPerSecond: flagCallsPerSecond })
  }

  get running () { return this.#timer !== undefined }

  /** Whether start-up is over: set by the first server that listens, or by a call. */
  get armed () { return this.#armed }
  set armed (armed) {
    this.#arm(armed)
    this.#serverStart.stop()
  }

  start () {
    if (this.running) return
    for (const target of this.#targets) this.#patch(target)
    this.#patches.apply(Function.prototype, 'toString', original => wrapToString(original, this.#patches.originals))
    this.#patches.publish()
    this.#timer = setInterval(guarded(() => this.#roll()), ROLL_MS).unref()
    if (!this.#armed) this.#serverStart.start()
    this.#pauses.end()
  }

  /** Restores every original; the counts can still be read. */
  stop () {
    if (!this.running) return
    this.#pauses.begin()
    this.#pending.settle()
    for (const meter of this.#meters) meter.settle()
    this.#serverStart.stop()
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#patches.restore()
    this.#patches.publish()
    this.#meters = []
  }

  /** Does loopscope's own work: its calls are not recorded. @template T @param {() => T} work @returns {T} */
  unwatched (work) {
    return this.#pauses.during(work)
  }

  /** @returns {SyncCallReading} */
  read () {
    return this.#pauses.during(() => {
      this.#pending.settle()
      for (const meter of this.#meters) meter.settle()
      return {
        totals: this.#sites.totals(),
        sites: this.#list(this.#sites, { isSettled: false }),
        startUp: {
          totalMs: this.#startUp.apis().reduce((sum, { ms }) => sum + ms, 0),
          sites: this.#list(this.#startUp, { isSettled: false })
        }
      }
    })
  }

  /**
   * For counters: the part finally divided among the sites, at most a second ago. Unlike an estimate it never decreases.
   * @returns {ExactSyncCall[]}
   */
  readSettled () {
    return this.#pauses.during(() => this.#list(this.#sites, { isSettled: true }))
  }

  get #table () { return this.#armed ? this.#sites : this.#startUp }

  /** @param {boolean} armed */
  #arm (armed) {
    for (const meter of this.#meters) meter.settle()
    this.#armed = armed
    for (const meter of this.#meters) meter.total = this.#table.callsOf(meter.target)
  }

  /** @param {Target} target */
  #patch (target) {
    const { holder, name } = propertyOf(target)
    const parts = {
      target,
      total: this.#table.callsOf(target),
      pauses: this.#pauses,
      now: this.#options.now,
      thresholdMs: this.#options.thresholdMs,
      onFault: this.#options.onFault,
      record: this.#record
    }
    const meter = target.isCounted ? new CountedMeter(parts) : new TimedMeter(parts)
    this.#meters.push(meter)
    this.#patches.apply(holder, name, original => replacementOf(original, meter))
    // The prototype remains the original's, and `new Date().constructor === Date` must still be true.
    if (holder === globalThis && name === 'Date') this.#patches.apply(Date.prototype, 'constructor', () => Date)
  }

  /** @type {(target: Target, stack: CapturedStack | null, weight: number, ms: number) => void} */
  #record = (target, stack, weight, ms) => {
    this.#pending.add({ table: this.#table, target, stack, weight, ms, route: this.#options.routeNow() })
  }

  #roll () {
    for (const meter of this.#meters) meter.roll()
    this.#pauses.during(() => {
      try {
        this.#pending.settle()
        this.#places.learn([...this.#startUp.list(), ...this.#sites.list()].map(({ place }) => place)).catch(() => {})
        for (const calls of [...this.#startUp.apis(), ...this.#sites.apis()]) calls.settle()
        const due = this.#flags.tick(this.#sites.list(), this.#options.now())
        if (due.length === 0) return
        for (const shown of this.#list(this.#sites, { isSettled: true }, due)) this.#options.onFlag(shown)
      } catch (error) {
        this.#options.onFault(error)
      }
    })
  }

  /** @param {SiteTable} table @param {{ isSettled: boolean }} options @param {readonly Site[]} [only] */
  #list (table, options, only) {
    return table.apis().flatMap(calls => calls.read(options))
      .filter(({ site }) => only === undefined || only.includes(site))
      .map(({ site, reading }) => this.#show(site, reading))
      .sort((a, b) => Number(b.flagged) - Number(a.flagged) || b.totalMs - a.totalMs || b.calls - a.calls)
  }

  /** @param {Site} site @param {ReturnType<ApiCalls['read']>[number]['reading']} reading @returns {ExactSyncCall} */
  #show (site, reading) {
    const { api } = site.target
    const place = this.#places.of(site.place)
    return {
      api,
      callSite: { ...place, file: this.#options.showFile(place.file) },
      ...reading,
      flagged: site.flagged,
      advice: adviceOf(api)
    }
  }
}

/** @param {any} original @param {TimedMeter | CountedMeter} meter */
function replacementOf (original, meter) {
  if (meter instanceof TimedMeter) return wrapTimed(original, meter)
  return original === Date ? makeCountedDate(original, meter) : wrapCounted(original, meter)
}

/**
 * Detects the end of start-up: the first server of this process that listens. Node reports it on a diagnostics channel, so that nothing needs to be
 * patched for it.
 */
class ServerStart {
  #onListening
  #running = false

  /** @param {() => void} onListening  called at most once */
  constructor (onListening) {
    this.#onListening = onListening
  }

  get running () { return this.#running }

  start () {
    if (this.#running) return
    if (isListening()) return this.#onListening()
    this.#running = true
    diagnosticsChannel.subscribe(LISTENING, this.#onMessage)
  }

  stop () {
    if (!this.#running) return
    this.#running = false
    diagnosticsChannel.unsubscribe(LISTENING, this.#onMessage)
  }

  #onMessage = guarded(() => {
    this.stop()
    this.#onListening()
  })
}

/** Diagnostics may be started when the service is already running. */
function isListening () {
  return process.getActiveResourcesInfo().some(name => name === 'TCPServerWrap' || name === 'PipeServerWrap')
}

module.exports = { SyncCallDetector }
