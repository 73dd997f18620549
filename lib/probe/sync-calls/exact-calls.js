'use strict'

// The process's exact detector: loaded only where the option enables it, otherwise null. Its flags are logged and counted here, where the calls are
// measured; the sampled calls are in the observer.

/** @import { ExactSyncCall, Logger, SyncCalls } from '../../../types/diagnostics' */
/** @import { DetectorOptions } from './detector' */
/** @import { FlagCount } from '../../shared/sync-calls/flags' */
/** @import { SyncCallSum } from '../../shared/sync-calls/totals' */

class ExactCalls {
  #detector
  /** For the metrics: cumulative, by API and route. @type {() => { calls: SyncCallSum[], flagged: FlagCount[] }} */
  counts = () => ({ calls: [], flagged: [] })

  /**
   * @param {{ options: false | DetectorOptions, logger: Logger }
   *   & Pick<DetectorOptions, 'routeNow' | 'showFile' | 'toOriginal' | 'onFault'>} parts  options: the detector's
   */
  constructor ({ options, logger, ...parts }) {
    this.#detector = options === false ? null : this.#makeDetector({ ...options, ...parts }, logger)
  }

  /** What it needs is loaded with it: it has many parts. @param {DetectorOptions} options @param {Logger} logger */
  #makeDetector (options, logger) {
    const { SyncCallDetector } = require('./detector')
    const { FlagLog } = require('../../shared/sync-calls/flags')
    const { sumByRoute } = require('../../shared/sync-calls/totals')
    const flagLog = new FlagLog({ warn: (fields, message) => logger.warn(fields, message) })
    const detector = new SyncCallDetector({ ...options, onFlag: site => flagLog.add(site, amountOf(site)) })
    this.counts = () => ({ calls: sumByRoute(detector.readSettled()), flagged: flagLog.counts() })
    return detector
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

  /** Whether start-up is over, so that calls count as the application's work. */
  get armed () { return this.#detector?.armed ?? false }
  set armed (armed) { if (this.#detector) this.#detector.armed = armed }

  /** @returns {Pick<SyncCalls, 'totals' | 'exact' | 'startUp'>} each null without a detector */
  read () {
    const { totals = null, sites: exact = null, startUp = null } = this.#detector?.read() ?? {}
    return { totals, exact, startUp }
  }
}

/** @param {ExactSyncCall} site */
function amountOf ({ calls, totalMs, standardError }) {
  const counted = standardError.calls === 0 ? `${calls} calls` : `${calls} ± ${standardError.calls} calls`
  return totalMs > 0 ? `${counted}, ${Math.round(totalMs)} ms so far` : `${counted} so far`
}

module.exports = { ExactCalls }
