'use strict'

// What an application holds: its parts are made and wired here. What belongs to the process and not to one application is in
// instruments.js.

const { EventEmitter } = require('node:events')
const { findApplication } = require('./process/application')
const { clusterWorkerId } = require('../shared/system/cluster-worker')
const { errors } = require('../shared/base/errors')
const { setFaultListener } = require('../shared/base/guard')
const { share } = require('./process/process-wide')
const { warnOnce } = require('../shared/base/warnings')
const { resolveOptions } = require('./options/resolve-options')
const { holdInstruments, releaseInstruments } = require('./shared-instruments')
const { makeLogger } = require('../shared/default-logger')
const { describeStall, toLogFields } = require('../shared/stalls/stall-line')
const { checkRequest, KINDS } = require('../shared/captures/kinds')
const { createArtifact } = require('./captures/artifact')
const { createSignals } = require('./signals')
const { metricSources } = require('./metric-sources')
const { holdMetrics } = require('./metrics/metrics')
const { createRouteContext } = require('./http/route-context')
const { createRequestDurations } = require('./http/request-durations')
const { createMiddleware } = require('./http/middleware')
const { createRequestChannel } = require('./http/request-channel')
const { createRequestMeasure } = require('./http/request-measure')
const { createSayRoute } = require('./http/say-route')
const { createSurface } = require('./admin/surface')
const { version } = require('../../package.json')

/** @import { Artifact, CaptureKind, CaptureOptions, DelaySummary } from '../../types/diagnostics' */
/** @import { DiagnosticsOptions, Logger, Stall, Trigger } from '../../types/diagnostics' */
/** @import { Instruments } from './shared-instruments' */
/** @import { RequestMiddleware } from './http/middleware' */
/** @import { Registry } from 'prom-client' */

const SHARED_REQUESTS = 'request-durations.1'

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
  #sayRoute
  #onRequest = () => this.#instruments?.speedUp()
  /** @type {RequestMiddleware | undefined} */
  #middleware
  /** @type {ReturnType<typeof createRequestChannel> | undefined} */
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
    setFaultListener(error => warnOnce(this.#logger, 'LOOPSCOPE_WARN_INTERNAL', error))
    this.registry = this.#options.registry ?? registry(this.#application.root) ?? makeRegistry()
    this.#requests = share(SHARED_REQUESTS, () => createRequestDurations({ logger: this.#logger }))
    this.#sayRoute = createSayRoute({ context: this.#routeContext, logger: this.#logger })
    this.#surface = createSurface({
      options: this.#options,
      registry: this.registry,
      logger: this.#logger,
      appName: this.#location.appName,
      appRoot: this.#location.appRoot,
      version,
      clusterId: clusterWorkerId()
    })
    this.#signals = createSignals({
      signals: this.#options.signals,
      logger: this.#logger,
      capture: kind => this.#capture(kind, KINDS[kind].onSignal, 'signal'),
      onSkipped: kind => this.#instruments?.captures.counts.count(kind, 'signal', 'skipped')
    })
  }

  get running () { return this.#instruments !== undefined }

  /** Where this application's artifacts are kept. */
  get #location () {
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

  /** Counts the requests of every HTTP server of the process. */
  openRequestChannel () {
    const measure = createRequestMeasure({ context: this.#routeContext, requests: this.#requests, logger: this.#logger })
    this.#channel = createRequestChannel(({ request, response }) => { measure.begin(request, response) })
  }

  /** @returns {this} */
  start () {
    if (this.running) return this
    const instruments = holdInstruments({
      options: this.#options,
      logger: this.#logger,
      location: this.#location,
      isRunning: () => this.running
    })
    this.#instruments = instruments
    instruments.stalls.subscribers.add(this.#subscriber)
    this.#routeContext.start()
    this.#channel?.start()
    const sources = metricSources(instruments, this.#requests)
    this.#releaseMetrics = holdMetrics({ registry: this.registry, logger: this.#logger, sources })
    this.#signals.start()
    this.#surface.start({ ...instruments.admin, middleware: this.#middleware })
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
    this.#instruments.stalls.subscribers.delete(this.#subscriber)
    this.#instruments = undefined
    await releaseInstruments()
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
    return this.#instruments?.stalls.log.list() ?? []
  }

  /** @returns {DelaySummary} */
  delay () {
    return this.#running('delay()').loop.summary()
  }

  /**
   * Says the template of a request, where the framework does not. Never throws.
   * @param {object} request
   * @param {string} template
   */
  route (request, template) {
    this.#sayRoute(request, template)
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
  get clock () { return this.#running('clock').clocks.clock }

  /**
   * @param {CaptureKind} kind
   * @param {CaptureOptions | undefined} options
   * @param {Trigger} trigger
   */
  async #capture (kind, options, trigger) {
    const request = checkRequest(kind, options)
    const order = { request, trigger, ...this.#location, heap: this.#options.heap }
    const facts = await this.#running('capture()').captures.capture(order, options?.signal)
    return createArtifact(facts)
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

function makeRegistry () {
  const { Registry } = require('prom-client')
  return new Registry()
}

module.exports = { Handle }
