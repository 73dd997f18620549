'use strict'

// One application's diagnostics: its metrics, requests, admin surface and signals. What exists once per process is in instruments.js.

const fs = require('node:fs')
const { EventEmitter } = require('node:events')
const { declaredClients, findApplication } = require('../probe/process/application')
const { clusterWorkerId } = require('../base/system/cluster-worker')
const { errors } = require('../base/errors')
const { Promise } = require('../base/globals')
const { setFaultListener } = require('../base/guard')
const { assertBoolean, assertFunction, assertInteger, assertKnownKeys, assertNumberAbove, assertPlainObject, assertString } = require('../base/validate')
const { warnOnce } = require('../base/warnings')
const { resolveOptions } = require('./options/resolve-options')
const { holdInstruments, releaseInstruments } = require('../probe/shared-instruments')
const { makeLogger } = require('../shared/default-logger')
const { checkWhatIf } = require('../shared/check-what-if')
const { newMark } = require('../shared/marks')
const { describeStall, toLogFields } = require('../shared/stalls/stall-line')
const { checkRequest, KINDS, MAX_SECONDS, MAX_SITES_SECONDS } = require('../shared/captures/kinds')
const { ApplicationMetrics, metricSources } = require('./metrics/application-metrics')
const { ApplicationRequests } = require('./http/application-requests')
const { Signals } = require('./signals')
const { processReadings, readLoop } = require('./process-reading')
const { createPm2 } = require('./pm2/pm2')
const { Surface } = require('./admin/surface')
const { version } = require('../../package.json')

/** @import { Artifact, CaptureKind, CaptureOptions, DelaySummary, DiagnosticsOptions, Logger, Mark, Stall, SyncCalls, Trigger } from '../../types/diagnostics' */
/** @import { Findings } from '../../types/findings' */
/** @import { WhatIf, WhatIfOptions } from '../../types/what-if' */
/** @import { RequestsInFlight } from '../../types/requests' */
/** @import { SlowRequest } from '../../types/slow-requests' */
/** @import { MemoryOptions, ProcessMemory } from '../../types/memory' */
/** @import { Waits, WaitsOptions } from '../../types/waits' */
/** @import { Registry } from 'prom-client' */
/** @import { Instruments } from '../probe/instruments' */
/** @import { CapturedFacts } from '../observer/captures' */

class Handle extends EventEmitter {
  #options
  #logger
  #application
  #signals
  #pm2
  #requests
  #surface
  #metrics
  /** @type {Instruments | undefined} */
  #instruments
  #subscriber = {
    onStall: (/** @type {Stall} */ stall, /** @type {boolean} */ isFirst) => this.#onStall(stall, isFirst),
    takeSlowest: () => this.#requests.takeSlowest()
  }

  /**
   * @param {DiagnosticsOptions} [options]
   * @param {object} [standIns]  defaults for options that are not passed
   * @param {() => Logger} [standIns.logger]
   * @param {(appRoot: string) => Registry | undefined} [standIns.registry]
   */
  constructor (options, { logger = makeLogger, registry = () => undefined } = {}) {
    super()
    this.#options = resolveOptions(options)
    this.#application = findApplication(this.#options.started)
    this.#logger = this.#options.logger ?? logger()
    setFaultListener(error => warnOnce(this.#logger, 'LOOPSCOPE_WARN_INTERNAL', error))
    this.#metrics = new ApplicationMetrics({ registry: this.#options.registry, find: () => registry(this.#application.root), logger: this.#logger })
    this.#requests = new ApplicationRequests({
      logger: this.#logger,
      stallThresholdMs: this.#options.stallThresholdMs,
      onRequest: context => this.#instruments?.beginRequest(context),
      onAnswered: (context, route, status, toMicros) => this.#instruments?.requestNotes.noteAnswer(context, route, status, toMicros),
      onWork: (context, fromMicros, toMicros) => this.#instruments?.requestNotes.noteWork(context, fromMicros, toMicros),
      onTaken: context => this.#instruments?.requestNotes.forget(context)
    })
    this.#surface = new Surface({
      options: this.#options,
      registry: () => this.#instruments?.exempt(() => this.registry) ?? this.registry, // loading it takes a while
      logger: this.#logger,
      ...this.#location,
      version,
      clusterId: clusterWorkerId()
    })
    this.#pm2 = createPm2(this.#options, {
      read: () => readLoop(this.#running('pm2')),
      findings: () => this.findings(),
      capture: (kind, options) => this.#capture(kind, options, 'cli')
    })
    this.#signals = new Signals({
      signals: this.#options.signals,
      logger: this.#logger,
      capture: kind => this.#capture(kind, KINDS[kind].onSignal, 'signal'),
      onSkipped: kind => this.#instruments?.observer.tell('captureSkipped', { kind, trigger: 'signal' }) // the one before is still running
    })
  }

  get running () { return this.#instruments !== undefined }

  /** The prom-client registry that the metrics are in: the one passed in, otherwise loopscope's own. */
  get registry () { return this.#metrics.registry }

  /** Where this application's artifacts are kept. */
  get #location () {
    const { dir, retention, appName = this.#application.name } = this.#options
    return { dir, retention, appName, appRoot: this.#application.root }
  }

  openMiddleware () { return this.#requests.openMiddleware(this.#surface.openMount()) }

  /** Counts the requests of every HTTP server of the process. */
  openRequestChannel () { this.#requests.openChannel() }

  /** @returns {this} */
  start () {
    if (this.running) return this
    const instruments = holdInstruments({ options: this.#options, logger: this.#logger, location: this.#location, isRunning: () => this.running })
    this.#instruments = instruments
    instruments.stalls.subscribers.add(this.#subscriber)
    this.#requests.start()
    this.#requests.durations.countIn(instruments.requestTotals)
    this.#metrics.start(metricSources(instruments, this.#requests.durations))
    this.#signals.start()
    const { applications, relay } = instruments
    this.#surface.start({ applications, relay, ...processReadings(instruments, this.#requests.durations), middleware: this.#requests.middleware })
    this.#pm2.start()
    return this
  }

  /** Handles a signal that came before the handle listened. @param {NodeJS.Signals} signal */
  answerSignal (signal) { return this.#signals.answer(signal) }

  /**
   * Loads what is not needed in the first moment of a process, among it the metrics client if the application declares one: it reads that registry.
   * @param {() => void} more  loads parts beyond the handle's
   */
  settle (more) {
    const isRead = declaredClients(this.#application.root).length > 0
    this.#instruments?.exempt(() => [more(), isRead && this.registry])
  }

  /** Stops everything and restores what was changed. Running captures fail with ERR_LOOPSCOPE_OBSERVER_LOST. */
  async close () {
    const instruments = this.#instruments
    if (instruments === undefined) return
    this.#pm2.stop()
    this.#signals.stop()
    const stopped = this.#surface.stop()
    this.#metrics.stop()
    this.#requests.stop()
    this.#instruments = undefined
    await Promise.all([stopped, instruments.stalls.reported()])
    instruments.stalls.subscribers.delete(this.#subscriber)
    await releaseInstruments()
  }

  /**
   * Records something and writes it to the store.
   * @param {CaptureKind} kind
   * @param {CaptureOptions} [options]  see docs/options.md
   * @returns {Promise<Artifact>} rejects with a code of docs/errors.md; the application is not affected
   */
  capture (kind, options) { return this.#capture(kind, options, 'api') }

  /** The last 200 stalls, newest first; none without an observer. */
  async stalls () {
    return this.#instruments?.stalls.list() ?? []
  }

  /** The worst requests of the last 15 minutes, and where their time went; worst first. @returns {Promise<SlowRequest[]>} */
  async slowRequests () {
    return await this.#instruments?.slowRequests() ?? []
  }

  /** The requests and jobs under way, oldest first, and what each does or waits for. @returns {Promise<RequestsInFlight>} */
  async requests () {
    return this.#running('requests()').requests()
  }

  /** Where requests and jobs wait, by line of the code; none without an observer. @param {WaitsOptions} [options] @returns {Promise<Waits>} */
  async waits (options = {}) {
    assertPlainObject('waits options', options)
    assertKnownKeys('waits options', options, ['seconds', 'route'])
    if (options.seconds !== undefined) assertNumberAbove('waits options.seconds', options.seconds, 0, MAX_SECONDS)
    if (options.route !== undefined) assertString('waits options.route', options.route)
    const none = { seconds: options.seconds ?? null, seen: null, sampled: 0, seesCallbacks: false, isStale: false, routes: [] }
    return this.#running('waits()').observer.readOr('waits', options, none)
  }

  /**
   * Who owns the memory of the process, what grows, and which lines allocate what stays.
   * @param {MemoryOptions} [options]
   * @returns {Promise<ProcessMemory | null>} null without an observer
   */
  async memory (options = {}) {
    assertPlainObject('memory options', options)
    assertKnownKeys('memory options', options, ['sites', 'seconds'])
    if (options.sites !== undefined) assertBoolean('memory options.sites', options.sites)
    if (options.seconds !== undefined) assertInteger('memory options.seconds', options.seconds, 1, MAX_SITES_SECONDS)
    return this.#running('memory()').observer.readOr('ownMemory', options, null)
  }

  /**
   * Runs work that is not an HTTP request as a job: it is followed like a request, as the route `job <name>`.
   * @template T
   * @param {string} name
   * @param {() => T} fn
   * @returns {T} what fn returns
   */
  job (name, fn) {
    assertFunction('job(name, fn)', fn)
    return this.#instruments === undefined ? fn() : this.#instruments.jobs.run(name, fn, this.#requests.slowest)
  }

  /**
   * Marks this moment, in charts, in captures and for `loopscope diff --mark`.
   * @param {string} text  1 to 200 printable characters
   */
  mark (text) {
    const { observer } = this.#running('mark()')
    const mark = newMark(text)
    observer.tell('keepMark', { mark }) // lost while no observer runs
    return mark
  }

  /** The last 100 marks, oldest first; none without an observer. @returns {Promise<Mark[]>} */
  async marks () {
    return await this.#instruments?.observer.readOr('marks', {}, []) ?? []
  }

  /** @returns {DelaySummary} */
  delay () {
    return this.#running('delay()').loop.summary()
  }

  /**
   * Sets the route template of a request, where the framework does not provide it. Never throws.
   * @param {object} request
   * @param {string} template
   */
  route (request, template) {
    this.#requests.setRoute(request, template)
  }

  /** Synchronous calls by call site, each list heaviest first. @returns {Promise<SyncCalls>} */
  async syncCalls () {
    return this.#running('syncCalls()').syncCalls()
  }

  /** The problems of the process, and how to fix them; it takes a second. @returns {Promise<Findings>} */
  findings () {
    return this.#surface.findings()
  }

  /** What would become of the requests if a route did less on the event loop. @param {WhatIfOptions} options @returns {Promise<WhatIf>} */
  async whatIf (options) {
    return this.#surface.whatIf(checkWhatIf(options))
  }

  /** Whether start-up is over, so that the exact detector counts calls as the application's work. */
  get armed () { return this.#instruments?.exactCalls.armed ?? false }
  set armed (armed) { this.#running('armed').exactCalls.armed = armed }

  heap = Object.freeze({ watch: () => this.#running('heap.watch()').heap.watch() })

  /** The process's cached clock; it runs from its first use until close(). */
  get clock () { return this.#running('clock').clocks.clock }

  /** @param {CaptureKind} kind @param {CaptureOptions | undefined} options @param {Trigger} trigger */
  async #capture (kind, options, trigger) {
    const request = checkRequest(kind, options)
    const order = { request, trigger, ...this.#location, heap: this.#options.heap, wantsHot: trigger === 'cli' }
    const facts = await this.#running('capture()').capture(order, options?.signal)
    return createArtifact(facts)
  }

  /** @param {Stall} stall @param {boolean} isFirst */
  #onStall (stall, isFirst) {
    if (isFirst) this.#attempt(() => this.#logger.warn(toLogFields(stall), describeStall(stall)))
    this.#attempt(() => this.emit('stall', stall))
  }

  /** Errors in a logger or a listener of the application must not stop loopscope. @param {() => void} call */
  #attempt (call) {
    try {
      call()
    } catch (error) {
      warnOnce(this.#logger, 'LOOPSCOPE_WARN_INTERNAL', error)
    }
  }

  /** @param {string} wanted @returns {Instruments} */
  #running (wanted) {
    if (this.#instruments === undefined) throw new errors.ERR_LOOPSCOPE_NOT_RUNNING(wanted)
    return this.#instruments
  }
}

/**
 * The capture result that the application receives: the facts of a file in the store, and the file.
 * @param {CapturedFacts} facts
 * @returns {Artifact & Pick<CapturedFacts, 'hot'>}
 */
function createArtifact (facts) {
  return {
    ...facts,
    text: () => fs.promises.readFile(facts.path, 'utf8'),
    stream: () => fs.createReadStream(facts.path)
  }
}

module.exports = { Handle, createArtifact }
