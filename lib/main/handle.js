'use strict'

// What an application holds: its parts are made and wired here. What belongs to the process and not to one application is in
// instruments.js.

const { EventEmitter } = require('node:events')
const { isDeepStrictEqual } = require('node:util')
const { findApplication } = require('./process/application')
const { clusterWorkerId } = require('../shared/system/cluster-worker')
const { errors } = require('../shared/base/errors')
const { hearFaults } = require('../shared/base/guard')
const { hold, peek, share, release } = require('./process/process-wide')
const { warnOnce } = require('../shared/base/warnings')
const { resolveOptions } = require('./options/resolve-options')
const { createInstruments } = require('./instruments')
const { makeLogger } = require('../shared/default-logger')
const { describeStall, toLogFields } = require('../shared/stalls/stall-line')
const { checkRequest, KINDS } = require('../shared/captures/kinds')
const { createArtifact } = require('./captures/artifact')
const { createSignals } = require('./signals')
const { holdMetrics } = require('./metrics/metrics')
const { createRouteContext } = require('./http/route-context')
const { createRequestDurations } = require('./http/request-durations')
const { createMiddleware } = require('./http/middleware')
const { createSurface } = require('./admin/surface')
const { version } = require('../../package.json')

/** @import { Artifact, CaptureKind, CaptureOptions, DelaySummary, DiagnosticsOptions, Logger, Stall, Trigger } from '../../types/diagnostics' */
/** @import { WarningCode } from '../shared/base/warnings' */
/** @import { RequestMiddleware } from './http/middleware' */
/** @import { Registry } from 'prom-client' */

/** @typedef {ReturnType<typeof createInstruments>} Instruments */

// Copies of this package in one process share the instruments: the name carries the version of their interface.
const SHARED_NAME = 'instruments.1'
const SHARED_REQUESTS = 'request-durations.1'

// Options of the process's one set of instruments; the first handle's hold.
const SHARED_OPTIONS = /** @type {const} */ (['stallThresholdMs', 'heartbeatMs', 'recorder', 'syncCalls', 'onNearHeapLimit'])

// What everything is refused with that needs the observer.
const WITHOUT_OBSERVER = ['ERR_LOOPSCOPE_OBSERVER_LOST', 'ERR_LOOPSCOPE_BUNDLED']

class Handle extends EventEmitter {
  #options
  #logger
  #application
  #routeContext = createRouteContext()
  #signals
  /** Counted for the process: a request that passes two handles is one request. */
  #requests
  #surface
  #releaseMetrics = () => {}
  #onRequest = () => this.#instruments?.hurry()
  /** @type {RequestMiddleware | undefined} */
  #middleware
  /** @type {ReturnType<typeof import('./http/request-channel').createRequestChannel> | undefined} */
  #channel
  /** @type {Instruments | undefined} */
  #instruments
  #subscriber = {
    onStall: (/** @type {Stall} */ stall, /** @type {boolean} */ isFirst) => this.#onStall(stall, isFirst),
    takeSlowest: () => this.#middleware?.slowest.take() ?? null,
    takeWork: () => this.#middleware?.workLog.take() ?? []
  }

  /** The prom-client registry that the metrics are in: the one passed in, else one of our own. */
  registry

  /**
   * @param {DiagnosticsOptions} [options]
   * @param {object} [standIns]  for options that are not passed
   * @param {() => Logger} [standIns.logger]
   * @param {(appRoot: string) => Registry | undefined} [standIns.registry]
   */
  constructor (options, { logger = makeLogger, registry = () => undefined } = {}) {
    super()
    this.#options = resolveOptions(options)
    this.#application = findApplication(this.#options.started)
    this.#logger = this.#options.logger ?? logger()
    hearFaults(error => warnOnce(this.#logger, 'LOOPSCOPE_WARN_INTERNAL', error))
    this.registry = this.#options.registry ?? registry(this.#application.root) ?? makeRegistry()
    this.#requests = share(SHARED_REQUESTS, () => createRequestDurations({ logger: this.#logger }))
    this.#surface = createSurface({
      options: this.#options,
      registry: this.registry,
      logger: this.#logger,
      appName: this.#place.appName,
      appRoot: this.#place.appRoot,
      version,
      clusterId: clusterWorkerId()
    })
    this.#signals = createSignals({
      signals: this.#options.signals,
      logger: this.#logger,
      capture: kind => this.#capture(kind, KINDS[kind].onSignal, 'signal'),
      onSkipped: kind => this.#instruments?.tally.count(kind, 'signal', 'skipped')
    })
  }

  get running () { return this.#instruments !== undefined }

  /** Where this application's artifacts are kept. */
  get #place () {
    const { dir, retention, appName = this.#application.name } = this.#options
    return { dir, retention, appName, appRoot: this.#application.root }
  }

  openMiddleware () {
    this.#middleware = createMiddleware({
      context: this.#routeContext,
      requests: this.#requests,
      logger: this.#logger,
      stallThresholdMs: this.#options.stallThresholdMs,
      onRequest: this.#onRequest,
      take: this.#surface.take
    })
    return this.#middleware
  }

  openRequestChannel () {
    const { createRequestChannel } = require('./http/request-channel')
    this.#channel = createRequestChannel({
      context: this.#routeContext,
      requests: this.#requests,
      logger: this.#logger,
      onRequest: this.#onRequest
    })
  }

  /** @returns {this} */
  start () {
    if (this.running) return this
    const instruments = this.#holdInstruments()
    this.#instruments = instruments
    instruments.subscribers.add(this.#subscriber)
    this.#routeContext.start()
    this.#channel?.start()
    this.#releaseMetrics = holdMetrics({ registry: this.registry, logger: this.#logger, sources: this.#sources(instruments) })
    this.#signals.start()
    this.#surface.start({ sites: instruments.admin.sites, relay: instruments.admin.relay, middleware: this.#middleware })
    return this
  }

  /** Stops everything and gives it back. Captures under way fail with ERR_LOOPSCOPE_OBSERVER_LOST. */
  async close () {
    if (this.#instruments === undefined) return
    this.#signals.stop()
    this.#surface.stop()
    this.#releaseMetrics()
    this.#channel?.stop()
    this.#routeContext.stop()
    this.#instruments.subscribers.delete(this.#subscriber)
    this.#instruments = undefined
    /** @type {Promise<void> | undefined} */
    let stopped
    release(SHARED_NAME, (/** @type {Instruments} */ instruments) => { stopped = instruments.stop() })
    await stopped
  }

  /**
   * Records something and writes it to the store.
   * @param {CaptureKind} kind
   * @param {CaptureOptions} [options]  see docs/options.md
   * @returns {Promise<Artifact>} rejects with a code of docs/errors.md; the application is not affected
   */
  capture (kind, options) {
    return this.#capture(kind, options, 'api')
  }

  /** The last 200 stalls, newest first. */
  stalls () {
    return this.#instruments?.stallLog.list() ?? []
  }

  /** @returns {DelaySummary} */
  delay () {
    return this.#running('delay()').loop.summary()
  }

  /** Synchronous calls by call site, each list heaviest first. */
  syncCalls () {
    return this.#running('syncCalls()').syncCalls.read()
  }

  /** Whether the exact detector counts calls as work of the application, and no longer as its start-up. */
  get armed () { return this.#instruments?.syncCalls.armed ?? false }
  set armed (armed) { this.#running('armed').syncCalls.armed = armed }

  heap = Object.freeze({ watch: () => this.#running('heap.watch()').heap.watch() })

  /** The process's cached clock; it runs from its first use until close(). */
  get clock () { return this.#running('clock').clock }

  /**
   * @param {CaptureKind} kind
   * @param {CaptureOptions | undefined} options
   * @param {Trigger} trigger
   */
  async #capture (kind, options, trigger) {
    const request = checkRequest(kind, options)
    const order = { request, trigger, ...this.#place, heap: this.#options.heap }
    const facts = await this.#running('capture()').capture(order, options?.signal)
    return createArtifact(facts)
  }

  /** @returns {Instruments} */
  #holdInstruments () {
    const { value, isFirst } = hold(SHARED_NAME, () =>
      createInstruments({ options: this.#options, logger: this.#logger, appRoot: this.#application.root }))
    if (isFirst) this.#startInstruments(value)
    else this.#warnOfOtherOptions(value)
    value.checkStore(this.#place).catch(error => this.#warnUnlessLost('LOOPSCOPE_WARN_STORE', error))
    return value
  }

  /** @param {Instruments} instruments */
  #startInstruments (instruments) {
    instruments.start()
    const { onNearHeapLimit } = this.#options
    if (onNearHeapLimit === 'off') return
    instruments.heap.watchLimit({ onNearHeapLimit, place: this.#place }, adopted => this.#tellAdopted(adopted))
      .catch(error => this.#warnUnlessLost('LOOPSCOPE_WARN_NEAR_LIMIT', error))
  }

  /**
   * That the observer is gone is told elsewhere, and that a handle was closed nowhere.
   * @param {WarningCode} code
   * @param {Error & { code?: string }} error
   */
  #warnUnlessLost (code, error) {
    if (this.running && !WITHOUT_OBSERVER.includes(error.code ?? '')) warnOnce(this.#logger, code, error)
  }

  /** @param {import('../observer/heap/snapshot/leftovers').Adopted[]} adopted */
  #tellAdopted (adopted) {
    for (const leftover of adopted) {
      if ('path' in leftover) this.#logger.warn({ leftover }, `a former process ran out of heap: ${leftover.path} says what filled it`)
      else this.#logger.warn({ leftover }, `a former process ran out of heap, and ${leftover.file} cannot be read: ${leftover.problem}`)
    }
  }

  /** @param {Instruments} instruments */
  #warnOfOtherOptions ({ options }) {
    const other = SHARED_OPTIONS.filter(name => !isDeepStrictEqual(options[name], this.#options[name]))
    if (other.length > 0) warnOnce(this.#logger, 'LOOPSCOPE_WARN_SHARED_OPTIONS', other.map(name => `${name} ${JSON.stringify(options[name])}`).join(', '))
  }

  /** @param {Instruments} instruments */
  #sources (instruments) {
    return {
      delay: instruments.loop.delay,
      iterations: instruments.loop.iterations,
      utilization: instruments.loop.utilization,
      stalls: instruments.stallLog,
      captures: instruments.tally,
      syncCalls: instruments.syncCalls,
      clock: { get recentMaxStalenessMs () { return instruments.clockIfUsed?.recentMaxStalenessMs ?? null } },
      heap: { trend: () => instruments.heap.trend },
      requests: this.#requests,
      admin: instruments.admin.tally,
      overhead: { read: () => instruments.overhead(), get observerRestarts () { return instruments.observerRestarts } },
      version
    }
  }

  /**
   * @param {Stall} stall
   * @param {boolean} isFirst
   */
  #onStall (stall, isFirst) {
    if (isFirst) this.#attempt(() => this.#logger.warn({ stall: toLogFields(stall) }, describeStall(stall)))
    this.#attempt(() => this.emit('stall', stall))
  }

  /**
   * Code of others must not stop ours: the logger's, a listener's.
   * @param {() => void} call
   */
  #attempt (call) {
    try {
      call()
    } catch (error) {
      warnOnce(this.#logger, 'LOOPSCOPE_WARN_INTERNAL', error)
    }
  }

  /**
   * @param {string} wanted
   * @returns {Instruments}
   */
  #running (wanted) {
    if (this.#instruments === undefined) throw new errors.ERR_LOOPSCOPE_NOT_RUNNING(wanted)
    return this.#instruments
  }
}

/** @returns {Instruments | undefined} those of the process, while a handle runs */
function sharedInstruments () {
  return /** @type {Instruments | undefined} */ (peek(SHARED_NAME))
}

function makeRegistry () {
  const { Registry } = require('prom-client')
  return new Registry()
}

module.exports = { Handle, sharedInstruments }
