'use strict'

// Starts the observer thread with its settings, and restarts it when it is lost, later each time, with what the previous one had received.

const { isMainThread } = require('node:worker_threads')
const { guarded, unattended } = require('../base/guard')
const { monotonicMs } = require('../base/monotonic')
const { clearTimeout, setTimeout } = require('../base/timers')
const { noteOwnCallback } = require('./process/next-callback')
const { isTestRunner, OTHER_RUNTIME } = require('../base/system/runtime')
const { warnOnce } = require('../base/warnings')
const { threadPidHere } = require('../base/system/process-ids')
const { ObserverClient } = require('../link/observer-client')
const { createClockRenewals, createProcessClock } = require('./process-clock')
const { mayUseSession } = require('./recorder/engines')

/** @import { Logger } from '../../types/diagnostics' */
/** @import { ResolvedOptions } from '../api/options/resolve-options' */
/** @import { ObserverParts } from '../link/observer-client' */

const FIRST_RESTART_MS = 1000
const MAX_RESTART_MS = 300_000 // after a run of this length the delay starts from the first again

class ObserverSupervisor {
  #parts
  #running = false
  #clockRenewals
  #restarts = new RestartBackoff({ start: () => this.#start() })
  /** Whether an observer ever ran: one that cannot start is not restarted. */
  #wasObserved = false
  observer

  /**
   * @param {object} parts
   * @param {ResolvedOptions} parts.options
   * @param {string} parts.appRoot
   * @param {Pick<ObserverParts['settings'], 'titlePrefix' | 'interruptExpression' | 'ownWorkExpression'>} parts.names  of loopscope in the process
   * @param {ObserverParts['state']} parts.state
   * @param {Logger} parts.logger
   * @param {ObserverParts['handlers']} parts.handlers  for the observer's messages and requests
   * @param {(error: unknown) => void} parts.onFault
   * @param {ObserverParts['onEnd']} parts.onEnd
   * @param {(sessionError: string | null) => void} parts.onReady  sessionError: why it has no inspector session
   * @param {() => void} parts.onLost
   * @param {() => void} parts.onRestarted  to send the new one what the lost one had received
   */
  constructor (parts) {
    const { state, handlers, onFault, onEnd } = parts
    this.#parts = parts
    this.observer = new ObserverClient({
      state,
      settings: settingsOf(parts),
      handlers,
      onMessage: noteOwnCallback,
      onFault,
      onEnd,
      onLost: reason => this.#onLost(reason)
    })
    this.#clockRenewals = createClockRenewals(this.observer)
    this.clocks = createProcessClock({ keeper: this.#clockRenewals.keep })
  }

  get restartCount () { return this.#restarts.count }

  start () {
    if (this.#running) return
    this.#running = true
    unattended(this.#start())
  }

  async stop () {
    this.#running = false
    this.clocks.stop()
    this.#restarts.stop()
    await this.observer.stop()
  }

  async #start () {
    /** @type {{ sessionError: string | null }} */
    let ready
    try {
      this.observer.start()
      if (this.#wasObserved) this.#resume()
      ready = await this.observer.ready
    } catch (error) {
      if (this.#running && !this.#wasObserved) warnOnce(this.#parts.logger, 'LOOPSCOPE_WARN_OBSERVER_UNAVAILABLE', error)
      return
    }
    if (!this.#running) return
    this.#wasObserved = true
    this.#parts.onReady(ready.sessionError)
  }

  /** Runs before it is ready: requests made from here on wait for that, and would otherwise be sent twice. */
  #resume () {
    this.#clockRenewals.resume()
    this.#parts.onRestarted()
  }

  /** @param {unknown} reason */
  #onLost (reason) {
    this.#clockRenewals.onLost()
    this.#parts.onLost()
    if (!this.#running || !this.#wasObserved) return // a failed first start is warned of there
    warnOnce(this.#parts.logger, 'LOOPSCOPE_WARN_OBSERVER_LOST', reason)
    this.#restarts.plan()
  }
}

/** @param {ConstructorParameters<typeof ObserverSupervisor>[0]} parts */
function settingsOf ({ options: { recorder, stallThresholdMs, sourceMaps, syncCalls, threads, threadPoolSize, observerFile }, appRoot, names }) {
  return {
    stallThresholdMs,
    sourceMaps,
    threads,
    hasExactCalls: syncCalls !== false,
    poolSize: threadPoolSize,
    observerFile,
    appRoot,
    keepSeconds: recorder ? recorder.keepSeconds : 0,
    hz: recorder ? recorder.hz : 0,
    isMainThread,
    threadPid: threadPidHere(),
    isInspectorForbidden: process.permission?.has('inspector') === false || isTestRunner() || OTHER_RUNTIME !== null,
    windowsBySession: recorder ? mayUseSession(recorder.engine) : false,
    ...names
  }
}

/**
 * Decides when a lost observer thread is restarted: soon the first time, later each further time. A start costs the main thread a cold start of the
 * profiler, so a thread that never runs for long must not be restarted often.
 */
class RestartBackoff {
  #start
  #now
  #count = 0
  #startedMs
  #waitMs = FIRST_RESTART_MS
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /** @param {{ start: () => unknown, now?: () => number }} parts  now: milliseconds, monotonic */
  constructor ({ start, now = monotonicMs }) {
    this.#start = start
    this.#now = now
    this.#startedMs = now()
  }

  /** Number of restarts. */
  get count () { return this.#count }

  /** Call it when the observer is lost. */
  plan () {
    if (this.#now() - this.#startedMs >= MAX_RESTART_MS) this.#waitMs = FIRST_RESTART_MS
    this.#timer = setTimeout(guarded(() => this.#run()), this.#waitMs).unref()
    this.#waitMs = Math.min(this.#waitMs * 2, MAX_RESTART_MS)
  }

  stop () {
    clearTimeout(this.#timer)
  }

  #run () {
    this.#count++
    this.#startedMs = this.#now()
    return this.#start()
  }
}

module.exports = { FIRST_RESTART_MS, MAX_RESTART_MS, RestartBackoff, ObserverSupervisor }
