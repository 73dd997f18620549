'use strict'

// What is known of synchronous calls, from both sources: the recorder's samples (always) and the exact detector (on
// request); and of libuv's thread pool, which is where the advice sends them. It logs what stands out, once an hour each.

const { exactParts, roundedSum } = require('../../shared/base/exact-sum')
const { adviceOf } = require('../../shared/sync-calls/advice')
const { Flags } = require('./flags')
const { showPosition } = require('../../shared/formats/profile/frame')
const { createWorkLineOf } = require('../../shared/formats/profile/work-lines')
const { SampledView, siteKey } = require('../../shared/sync-calls/sampled')

/** @import { CodeFrame, Logger, SampledSyncCall, SyncCalls as SyncCallsReading } from '../../../types/diagnostics' */
/** @import { CallFrame, WorkLine } from '../../../types/profile' */
/** @import { ToOriginal } from './call-site' */
/** @import { DetectorOptions, SyncCallSite } from './detector' */
/** @import { SampledSite } from '../../observer/sync-calls/sync-samples' */

const HOUR_MS = 3_600_000
// At 100 samples a second this is five samples a second: less could be chance.
const SAMPLED_FLAG_MS_PER_SECOND = 50
const POOL_LINK = 'https://nodejs.org/api/cli.html#uv_threadpool_sizesize'
const DEFAULT_POOL_SIZE = 4 // libuv's

/** @typedef {import('../../shared/sync-calls/sampled').SampledView} View */

class SyncCalls {
  #parts
  #detector
  #flags = new Flags({ msPerSecond: SAMPLED_FLAG_MS_PER_SECOND, callsPerSecond: Infinity })
  /** @type {Map<string, View>} */
  #sampled = new Map()
  #busyMicros = 0
  /** @type {WorkLine[]} */
  #workLines = []
  /** How often sites were flagged. @type {Map<string, { api: string, route: string, count: number }>} */
  #flagged = new Map()
  #pool = { queued: 0, maxWaitMs: 0, loggedAt: -Infinity }

  /**
   * @param {object} parts
   * @param {false | DetectorOptions} parts.exact  options of the exact detector
   * @param {() => string | null} parts.routeNow
   * @param {(file: string) => string} parts.showFile
   * @param {(frame: CallFrame) => { function: string, file: string, line: number, column: number }} parts.showFrame
     * @param {ToOriginal} [parts.toOriginal]  asks the observer for positions in the original source
   * @param {Logger} parts.logger
   * @param {(error: unknown) => void} parts.onFault
   * @param {string | undefined} parts.poolSize  of UV_THREADPOOL_SIZE
   */
  constructor (parts) {
    this.#parts = parts
    this.#detector = parts.exact === false ? null : this.#makeDetector(parts.exact)
  }

  /** @param {DetectorOptions} options */
  #makeDetector (options) {
    const { SyncCallDetector } = require('./detector') // loaded by those who want it: it has many parts
    const { routeNow, showFile, toOriginal, onFault } = this.#parts
    const onFlag = (/** @type {SyncCallSite} */ site) => this.#onFlag(site, amountOf(site))
    return new SyncCallDetector({ ...options, routeNow, showFile, toOriginal, onFault, onFlag })
  }

  start () {
    this.#detector?.start()
  }

  stop () {
    this.#detector?.stop()
  }

  /**
   * @template T
   * @param {() => T} work  of loopscope itself
   * @returns {T}
   */
  unwatched (work) {
    return this.#detector === null ? work() : this.#detector.unwatched(work)
  }

  /** Whether the exact detector takes calls as the application's work and no longer as its start-up. */
  get armed () { return this.#detector?.armed ?? false }
  set armed (armed) { if (this.#detector) this.#detector.armed = armed }

  /**
   * What the recorder's windows showed since start.
   * @param {{ busyMicros: number, sites: SampledSite[] }} reading
   * @param {number} nowMs
   * @param {WorkLine[]} [workLines]  of stalls: none, those of before
   */
  addSamples ({ busyMicros, sites }, nowMs, workLines = this.#workLines) {
    this.#workLines = workLines
    this.#busyMicros = busyMicros
    const atWork = this.#createAtWork()
    for (const site of sites) this.#viewOf(site).update(site, atWork(this.#parts.showFrame(site.shown ?? site.caller)))
    const due = this.#flags.tick(/** @type {any} */ ([...this.#sampled.values()]), nowMs)
    // Where the exact detector watches too it has the better figures.
    if (this.#detector === null) for (const view of /** @type {any[]} */ (due)) this.#flagSampled(this.#show(view))
  }

  /** Samples know where a function begins, stalls where it was at work. */
  #createAtWork () {
    const workLineOf = createWorkLineOf(this.#workLines)
    return (/** @type {CodeFrame} */ callSite) => {
      const { line, column } = workLineOf({ name: callSite.function, file: callSite.file, line: callSite.line }) ?? callSite
      return { ...callSite, line, column }
    }
  }

  /**
   * @param {number} waitedMs
   * @param {number} nowMs
   */
  poolQueued (waitedMs, nowMs) {
    const pool = this.#pool
    pool.queued++
    pool.maxWaitMs = Math.max(pool.maxWaitMs, waitedMs)
    if (nowMs - pool.loggedAt < HOUR_MS) return
    pool.loggedAt = nowMs
    const { logger, poolSize } = this.#parts
    const size = Number(poolSize) || DEFAULT_POOL_SIZE
    logger.warn({ pool: { waitedMs: Math.round(waitedMs), size } },
      `libuv's thread pool is full: a task waited ${Math.round(waitedMs)} ms for one of its ${size} threads. Asynchronous fs, crypto, ` +
      `zlib and dns.lookup share them; set UV_THREADPOOL_SIZE (at most 1024) before Node starts, or do less at once: ${POOL_LINK}`)
  }

  /** @returns {SyncCallsReading} */
  read () {
    const exact = this.#detector?.read() ?? null
    return {
      sampled: [...this.#sampled.values()].map(view => this.#show(view)).sort((left, right) => right.ms - left.ms),
      totals: exact?.totals ?? null,
      exact: exact?.sites ?? null,
      startUp: exact?.startUp ?? null,
      pool: { queued: this.#pool.queued, maxWaitMs: Math.round(this.#pool.maxWaitMs) }
    }
  }

  /** For the metrics: cumulative, by API and route. */
  totals () {
    const sampled = [...this.#sampled.values()].map(view => view.read(this.#busyMicros))
    return {
      exact: sumByRoute(this.#detector?.readSettled() ?? []),
      sampled: sumByRoute(sampled),
      flagged: [...this.#flagged.values()],
      poolQueued: this.#pool.queued
    }
  }

  /** @param {SampledSite} site */
  #viewOf ({ api, caller }) {
    const key = siteKey(api, caller)
    const view = this.#sampled.get(key) ?? new SampledView(api, this.#parts.showFrame(caller))
    this.#sampled.set(key, view)
    return view
  }

  /** @param {View} view */
  #show (view) {
    return { ...view.read(this.#busyMicros), advice: adviceOf(view.api) }
  }

  /** @param {SampledSyncCall} site */
  #flagSampled (site) {
    this.#onFlag(site, `${Math.round(site.share * 100)} % of the time at work so far`)
  }

  /**
   * @param {Pick<SyncCallSite, 'api' | 'callSite' | 'advice'> & { routes: { route: string | null }[] }} site
   * @param {string} amount
   */
  #onFlag (site, amount) {
    const { api, callSite, advice, routes } = site
    const route = routes[0]?.route ?? null
    const template = templateOf(route)
    const key = `${api} ${template}`
    const flagged = this.#flagged.get(key) ?? { api, route: template, count: 0 }
    flagged.count++
    this.#flagged.set(key, flagged)
    const where = `${callSite.function} (${showPosition(callSite)})${route === null ? '' : ` for ${route}`}`
    this.#parts.logger.warn({ syncCall: site },
      `hot synchronous call: ${api} in ${where}, ${amount}; ${advice.why}. Fix: ${advice.instead}`)
  }
}

/** @param {SyncCallSite} site */
function amountOf ({ calls, totalMs, standardError }) {
  const counted = standardError.calls === 0 ? `${calls} calls` : `${calls} ± ${standardError.calls} calls`
  return totalMs > 0 ? `${counted}, ${Math.round(totalMs)} ms so far` : `${counted} so far`
}

/**
 * @param {{ api: string, routes: { route: string | null, ms: number, calls?: number }[] }[]} sites
 */
function sumByRoute (sites) {
  /** @type {Map<string, { api: string, route: string, calls: number, ms: number[] }>} */
  const sums = new Map()
  for (const { api, routes } of sites) {
    for (const { route, ms, calls = 0 } of routes) {
      const template = templateOf(route)
      const key = `${api} ${template}`
      const sum = sums.get(key) ?? { api, route: template, calls: 0, ms: [] }
      sum.calls += calls
      sum.ms.push(ms)
      sums.set(key, sum)
    }
  }
  // The order of sites changes as they grow.
  return [...sums.values()].map(({ ms, ...sum }) => ({ ...sum, seconds: roundedSum(exactParts(ms)) / 1e3 }))
}

/**
 * As the metrics of requests label it, where the method is a label of its own.
 * @param {string | null} route  `METHOD /path`
 */
function templateOf (route) {
  return route === null ? '' : route.slice(route.indexOf(' ') + 1)
}

module.exports = { SyncCalls }
