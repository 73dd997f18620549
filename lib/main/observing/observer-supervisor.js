'use strict'

// The observer, wired: what its thread is started with, and what happens when it is lost: it is started again, and told what
// the one before knew.

const { isMainThread } = require('node:worker_threads')
const { unattended } = require('../../shared/base/guard')
const { isTestRunner } = require('../process/test-runner')
const { warnOnce } = require('../../shared/base/warnings')
const { threadPidHere } = require('../../shared/system/process-ids')
const { createClockRenewals } = require('./clock-renewals')
const { createObserverClient } = require('./observer-client')
const { createProcessClock } = require('./process-clock')
const { createRestartBackoff } = require('./restart-backoff')
const { createThreadTotals } = require('./thread-totals')
const { ENGINES } = require('../recorder/engines')

/** @import { Logger } from '../../../types/diagnostics' */
/** @import { ResolvedOptions } from '../options/resolve-options' */
/** @import { SampledReading } from '../../observer/sync-calls/sync-samples' */

/** @typedef {Parameters<typeof createObserverClient>[0]} ObserverParts */

/**
 * @param {object} parts
 * @param {ResolvedOptions} parts.options
 * @param {string} parts.appRoot
 * @param {Pick<ObserverParts['settings'], 'titlePrefix' | 'interruptExpression' | 'ownWorkExpression'>} parts.names  of ours in the process
 * @param {ObserverParts['state']} parts.state
 * @param {Logger} parts.logger
 * @param {Omit<ObserverParts['handlers'], 'sourceMapProblem' | 'threadTimes'>} parts.handlers  of what the observer says and asks
 * @param {(error: unknown) => void} parts.onFault
 * @param {ObserverParts['onEnd']} parts.onEnd
 * @param {(sessionError: string | null) => void} parts.onReady  sessionError: why it has no inspector session
 * @param {() => void} parts.onLost
 * @param {() => void} parts.onRestarted  to tell the new one what the lost one had been told
 */
function createObserverSupervisor (parts) {
  return new ObserverSupervisor(parts)
}

class ObserverSupervisor {
  #parts
  #running = false
  #clockRenewals
  #restarts = createRestartBackoff({ start: () => this.#start() })
  /** Whether there was an observer at all: one that cannot start is not tried again. */
  #wasObserved = false
  /** What the observer read out of the samples so far. @type {SampledReading | undefined} */
  #samples
  threadTotals = createThreadTotals()
  observer

  /** @param {Parameters<typeof createObserverSupervisor>[0]} parts */
  constructor (parts) {
    const { state, handlers, onFault, onEnd } = parts
    this.#parts = parts
    this.observer = createObserverClient({
      state,
      settings: settingsOf(parts),
      handlers: {
        ...handlers,
        syncSamples: (params, signal) => {
          this.#samples = params.reading
          return handlers.syncSamples(params, signal)
        },
        threadTimes: ({ rows }) => this.threadTotals.add(rows),
        sourceMapProblem: ({ problem }) => warnOnce(parts.logger, 'LOOPSCOPE_WARN_SOURCE_MAP', problem)
      },
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

  /** Before it is ready: who asks from here on waits for that, and would ask for the same thing twice later. */
  #resume () {
    if (this.#samples !== undefined) this.observer.tell('resumeSamples', { reading: this.#samples })
    this.#clockRenewals.resume()
    this.#parts.onRestarted()
  }

  /** @param {unknown} reason */
  #onLost (reason) {
    this.#clockRenewals.onLost()
    this.#parts.onLost()
    if (!this.#running || !this.#wasObserved) return // one that could not even start is warned of there
    warnOnce(this.#parts.logger, 'LOOPSCOPE_WARN_OBSERVER_LOST', reason)
    this.#restarts.plan()
  }
}

/** @param {Parameters<typeof createObserverSupervisor>[0]} parts */
function settingsOf ({ options: { recorder, stallThresholdMs, sourceMaps, threads, observerFile }, appRoot, names }) {
  return {
    stallThresholdMs,
    sourceMaps,
    threads,
    observerFile,
    appRoot,
    keepSeconds: recorder ? recorder.keepSeconds : 0,
    hz: recorder ? recorder.hz : 0,
    isMainThread,
    threadPid: threadPidHere(),
    isInspectorForbidden: process.permission?.has('inspector') === false || isTestRunner(),
    windowsBySession: recorder ? ENGINES[recorder.engine].usesSession : false,
    ...names
  }
}

module.exports = { createObserverSupervisor }
