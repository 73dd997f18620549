'use strict'

// What a process has once for all its applications: heartbeat, recorder, observer, stalls. They share it (shared-instruments.js).

const { isMainThread, threadId } = require('node:worker_threads')
const { guarded } = require('../base/guard')
const { SingleFlight } = require('../base/single-flight')
const { createRelaySender } = require('../link/relay')
const { SharedState } = require('../link/shared-state')
const { warnOnce } = require('../base/warnings')
const { OTHER_RUNTIME } = require('../base/system/runtime')
const { Heartbeat } = require('./loop/heartbeat')
const { createObserverHandlers, createHiddenFunctions, createInterrupt } = require('./observer-handlers')
const { LoopMeters } = require('./loop/loop-meters')
const { createOwnWork } = require('./loop/own-work')
const { createNotedCpu } = require('./process/noted-cpu')
const { Recording } = require('./recorder/recording')
const { Applications } = require('./applications')
const { EgressServing } = require('./egress-serving')
const { Collections } = require('./heap/collections')
const { HeapWatching } = require('./heap/heap-watching')
const { Jobs } = require('./jobs')
const { Stalls } = require('./stalls')
const { ObserverSupervisor } = require('./observer-supervisor')
const { installCanaries } = require('../shared/heap/canaries')
const { createRequestContexts } = require('./http/contexts/request-contexts')
const { RequestNotes } = require('./request-notes')
const { StallRoute } = require('./http/stall-route')
const { ExactCalls } = require('./sync-calls/exact-calls')
const { describeFile } = require('../formats/profile/frame')

/** @import { Ask, Tell } from '../link/channel' */
/** @import { Logger, SyncCalls } from '../../types/diagnostics' */
/** @import { RequestsInFlight } from '../../types/requests' */
/** @import { SlowRequest } from '../../types/slow-requests' */
/** @import { Order } from '../observer/captures' */
/** @import { Counts } from '../observer/counts' */
/** @import { RequestContext } from './http/contexts/one-request' */
/** @import { ResolvedOptions } from '../api/options/resolve-options' */

class Instruments {
  #logger
  #options
  #state = new SharedState()
  /** @type {Heartbeat} */
  #heartbeat
  /** @type {Recording} */
  #recording
  /** @type {ObserverSupervisor} */
  #supervisor
  #observer
  #running = false
  #ownWork
  #hiddenFunctions
  #requestContexts = createRequestContexts({
    onRequest: () => {
      this.speedUp()
      this.requestNotes.awaits.onRequest()
    },
    arrivedMicros: (micros, request) => this.requestNotes.arrivedMicros(micros, request),
    onUncounted: context => this.requestNotes.noteUncounted(context)
  })

  /** One request per scrape, which reads many metrics. @type {SingleFlight<Partial<Counts>>} */
  #counts = new SingleFlight({
    take: () => {
      this.requestNotes.handOver()
      return this.#observer.readOr('counts', {}, {})
    }
  })

  /** Loaded when it is first armed. @type {import('./buffers/buffer-sites').BufferSites | undefined} */
  #bufferSites
  #stallRoute = new StallRoute(this.#requestContexts.context)
  /** @type {Stalls} */
  stalls
  loop // measurements of the event loop
  requestNotes
  jobs
  collections = new Collections()

  /**
   * @param {{ options: ResolvedOptions, logger: Logger, appRoot: string }} parts
   * @throws ERR_LOOPSCOPE_ENGINE_MISSING
   */
  constructor ({ options, logger, appRoot }) {
    const { heartbeatMs, stallThresholdMs, recorder } = options
    const id = `${process.pid}.${threadId}.${process.hrtime.bigint()}` // titles and globals are process-wide, and other copies or tools use their own
    const titlePrefix = `loopscope:${id}:`
    /** @type {Tell} */
    const tell = (name, params) => this.#observer.tell(name, params)
    const onFault = (/** @type {unknown} */ error) => warnOnce(logger, 'LOOPSCOPE_WARN_INTERNAL', error)
    this.#logger = logger
    this.#options = options
    this.loop = new LoopMeters({ periodMs: heartbeatMs, state: this.#state })
    const notedCpu = createNotedCpu({ state: this.#state })
    this.#heartbeat = new Heartbeat({
      periodMs: heartbeatMs,
      stallThresholdMs,
      state: this.#state,
      onTick: (delayMs, periods) => this.#onTick(delayMs, periods),
      onStall: guarded(tick => this.stalls.report(tick)),
      onFirst: () => this.#recording.turned(),
      onSpeedUp: () => this.#observer.tell('speedUp', {}),
      cpuUsage: isMainThread ? process.cpuUsage : process.threadCpuUsage, // missing in Node 20
      takeThreadCpuMs: notedCpu.take
    })
    const { context, inFlight } = this.#requestContexts
    this.requestNotes = new RequestNotes({ context, inFlight, heartbeat: this.#heartbeat, collections: this.collections, tell })
    this.jobs = new Jobs({ context, inFlight, notes: this.requestNotes, onBegin: this.speedUp, logger })
    this.#recording = new Recording({
      settings: recorder,
      profilerInUse: options.profilerInUse,
      titlePrefix,
      logger,
      loopTime: this.loop.time,
      heartbeat: this.#heartbeat,
      tell,
      detectDebugger: url => this.#observer.read('debuggerStatus', { url }),
      onRotated: () => this.requestNotes.handOver()
    })
    this.#ownWork = createOwnWork({ heartbeat: this.#heartbeat })
    this.#hiddenFunctions = this.#makeHiddenFunctions(id)
    /** @type {Ask} */
    const ask = (name, params, signal) => this.#observer.askWhenReady(name, params, signal)
    this.relay = createRelaySender({ ask })
    this.applications = new Applications({ ask, tell, read: (what, about) => this.#observer.read(what, about) }, logger)
    this.egress = new EgressServing({ ask: (name, params) => this.#observer.ask(name, params), state: this.#state, recording: this.#recording })
    this.#supervisor = this.#observe({ appRoot, titlePrefix, onFault })
    this.#observer = this.#supervisor.observer
    this.stalls = new Stalls({
      observer: this.#observer,
      recording: this.#recording,
      stuckWith: (tick, slowest) => this.#stallRoute.of(tick, slowest),
      isRunning: () => this.#running
    })
    this.heap = new HeapWatching({ nodeFlags: options.nodeFlags, ask, collections: this.collections, state: this.#state, isOwn: worker => this.#observer.isOwn(worker) })
    this.exactCalls = new ExactCalls({
      options: options.syncCalls,
      routeNow: () => this.#stallRoute.now(),
      showFile: file => describeFile(file, { appRoot }),
      toOriginal: frames => this.#observer.read('originalFrames', { frames }),
      logger,
      onFault
    })
  }

  get running () { return this.#running }
  get observer () { return this.#observer }
  get observerRestarts () { return this.#supervisor.restartCount }
  get options () { return this.#options }
  get requestTotals () { return this.#state.requestTotals }
  get clocks () { return this.#supervisor.clocks }

  start () {
    if (this.#running) return
    this.#running = true
    if (OTHER_RUNTIME !== null) warnOnce(this.#logger, 'LOOPSCOPE_WARN_RUNTIME', OTHER_RUNTIME)
    installCanaries()
    this.#requestContexts.start()
    if (this.#options.dependencyCalls) this.requestNotes.calls.start()
    if (this.#options.waits) this.requestNotes.awaits.start()
    this.loop.start()
    this.heap.start()
    this.collections.start()
    this.exactCalls.start()
    this.#heartbeat.start()
    this.#hiddenFunctions.define()
    this.#supervisor.start()
  }

  async stop () {
    if (!this.#running) return
    this.#running = false
    this.#heartbeat.stop()
    this.requestNotes.stop()
    this.egress.handOver()
    this.#recording.stop()
    this.exactCalls.stop()
    this.#bufferSites?.stop()
    this.heap.stop()
    this.collections.stop()
    this.loop.stop()
    this.#requestContexts.stop()
    this.#hiddenFunctions.remove()
    await this.#supervisor.stop()
  }

  /** The samples so far come from the observer, the exact counts from this thread. @returns {Promise<SyncCalls>} */
  async syncCalls () {
    const { sampled, pool } = await this.#observer.readOr('syncCalls', {}, { sampled: [], pool: { queued: 0, maxWaitMs: 0 } })
    return { sampled, ...this.exactCalls.read(), pool }
  }

  /**
   * The observer's evaluation of all notes so far. The process is kept alive until then.
   * @returns {Promise<SlowRequest[]>} worst first; none without an observer
   */
  async slowRequests () {
    this.requestNotes.handOver()
    return this.#observer.readOr('slowRequests', {}, [])
  }

  /** As the observer sees them; without an observer, without what runs. @returns {Promise<RequestsInFlight>} */
  async requests () {
    return await this.#observer.readOr('requests', {}, null) ??
      require('../shared/requests/in-flight').describeInFlight(this.requestNotes.readInFlight()) // loaded where there is no observer
  }

  /** @param {Order} order @param {AbortSignal} [signal]  cancels it */
  async capture (order, signal) {
    const ask = () => this.#observer.askWhenReady('capture', { order }, signal)
    return order.trigger === 'api' ? this.#observer.hold(ask) : ask()
  }

  /**
   * Call it when work begins on a request that Node.js did not report: of HTTP/2 in Node.js 20, or simulated. Node.js does not
   * report when a simulated one is abandoned, so it is not listed.
   * @param {RequestContext} context
   */
  beginRequest (context) {
    this.speedUp()
    const { request } = /** @type {{ request: any }} */ (context)
    if (typeof request.stream?.push === 'function') this.#requestContexts.inFlight.requests.add(context)
  }

  /** Call it when work begins: the heartbeat becomes fast. */
  speedUp = () => this.#heartbeat.speedUp()
  /** Runs work of loopscope, which is not counted as a delay of the application. @type {<T>(work: () => T) => T} */
  exempt = work => this.#heartbeat.exempt(() => this.exactCalls.unwatched(work))

  /** The observer's counts so far; empty without an observer. @returns {Promise<Partial<Counts>>} */
  counts () { return this.#counts.share() }

  /** Loopscope's own cost, as far as it can be separated, cumulative. */
  overhead () {
    return [
      { component: 'heartbeat', seconds: this.#heartbeat.overheadSeconds },
      { component: 'recorder', seconds: this.#recording.overheadSeconds },
      { component: 'observer', seconds: this.#observer.activeSeconds },
      { component: 'source-maps', seconds: this.#state.sourceMapsMs / 1e3 },
      { component: 'own-work', seconds: this.#ownWork.totalMs / 1e3 }
    ]
  }

  /** @param {string} id @returns {ReturnType<typeof createHiddenFunctions>} */
  #makeHiddenFunctions (id) {
    const interrupt = createInterrupt({
      heartbeat: this.#heartbeat,
      stallRoute: this.#stallRoute,
      recording: this.#recording,
      requestNotes: this.requestNotes,
      release: () => this.#observer.release(),
      withdrawRelease: () => this.#state.withdrawRelease()
    })
    const ownWork = (/** @type {boolean} */ isBegin) => isBegin ? this.#ownWork.begin() : this.#ownWork.end()
    return createHiddenFunctions({ id, functions: { interrupt, 'own-work': ownWork } })
  }

  /** @param {{ appRoot: string, titlePrefix: string, onFault: (error: unknown) => void }} parts */
  #observe ({ appRoot, titlePrefix, onFault }) {
    const { expressionOf } = this.#hiddenFunctions
    return new ObserverSupervisor({
      options: this.#options,
      appRoot,
      names: { titlePrefix, interruptExpression: expressionOf('interrupt'), ownWorkExpression: expressionOf('own-work') },
      state: this.#state,
      logger: this.#logger,
      handlers: createObserverHandlers({
        recording: this.#recording,
        ownWork: this.#ownWork,
        applications: this.applications,
        exactCalls: () => this.exactCalls,
        heap: () => this.heap,
        bufferSites: () => this.#sitesOfBuffers(),
        requestNotes: this.requestNotes,
      }),
      onFault,
      onEnd: () => this.egress.handOver(),
      onReady: sessionError => this.#recording.start(sessionError),
      onLost: () => {
        this.#heartbeat.dropOwnWork()
        this.#recording.onLost()
      },
      onRestarted: () => this.#onObserverRestarted()
    })
  }

  #sitesOfBuffers () {
    const { BufferSites } = require('./buffers/buffer-sites')
    this.#bufferSites ??= new BufferSites({ context: this.#requestContexts.context, notes: this.requestNotes })
    return this.#bufferSites
  }

  #onObserverRestarted () {
    this.requestNotes.forgetSent()
    this.applications.reopen()
    this.egress.resume()
    this.heap.resume().catch(error => {
      if (this.#running && error.code !== 'ERR_LOOPSCOPE_OBSERVER_LOST') warnOnce(this.#logger, 'LOOPSCOPE_WARN_NEAR_LIMIT', error)
    })
  }

  /** @param {number} delayMs @param {number} periods */
  #onTick (delayMs, periods) {
    this.loop.record(delayMs, periods, this.#heartbeat.lastMicros)
    this.#state.noteDelay(delayMs)
    this.requestNotes.noteTick(this.#heartbeat.lastMicros, delayMs)
    this.heap.tick()
    if (this.#recording.tick(this.#heartbeat.lastMicros, this.#state.isIdle)) this.#heartbeat.skipElapsed()
    this.stalls.tick(this.#heartbeat.lastMicros, delayMs < this.#options.stallThresholdMs)
  }
}

module.exports = { Instruments }
