'use strict'

// The process's one set of instruments, wired: heartbeat, recorder, observer, and the log of stalls. However many
// applications ask for diagnostics in a process, there is one of these (see internal/process-wide.js).

const { randomUUID } = require('node:crypto')
const { monotonicMicros, toEpochMs } = require('./internal/monotonic')
const { SharedState } = require('./internal/shared-state')
const { isTestRunner } = require('./internal/test-runner')
const { warnOnce } = require('./internal/warnings')
const { createHeartbeat } = require('./loop/heartbeat')
const { createDelayHistogram } = require('./loop/delay-histogram')
const { createIterations } = require('./loop/iterations')
const { createLoopTime } = require('./loop/loop-time')
const { createUtilization } = require('./loop/utilization')
const { createStallLog } = require('./loop/stall-log')
const { summarizeDelay } = require('./loop/delay-summary')
const { ENGINES } = require('./recorder/engines')
const { createRecording } = require('./recording')
const { createHeapWatching } = require('./heap-watching')
const { createTally } = require('./capture/tally')
const { createObserver, UNEXPLAINED } = require('./observer/observer')
const { createKeptClocks } = require('./observer/kept-clocks')
const { createMainAnswers } = require('./observer/main-answers')
const { createRelay } = require('./admin/relay')
const { createSites } = require('./admin/sites')
const { createAdminTally } = require('./admin/tally')
const { installCanaries } = require('./heap/canaries')
const { readMemory } = require('./heap/memory-reading')
const { createRouteContext } = require('./http/route-context')
const { createStallRoute } = require('./http/stall-route')
const { createSyncCalls } = require('./sync-calls/sync-calls')
const { describeFrame, toCodeFrame } = require('./formats/frame')
const { createClock } = require('./clock')

/** @import { Logger, Stall } from '../types/diagnostics' */
/** @import { CallFrame } from '../types/profile' */
/** @import { Order } from './capture/captures' */
/** @import { SlowRequest } from './http/slowest-request' */
/** @import { Work } from './http/work-log' */
/** @import { LateTick } from './loop/heartbeat' */
/** @import { Explanation } from './observer/observer' */
/** @import { ResolvedOptions } from './options' */

/**
 * @typedef {object} Subscriber  one handle: the first one also logs
 * @property {(stall: Stall, isFirst: boolean) => void} onStall
 * @property {() => SlowRequest | null} takeSlowest
 * @property {() => Work[]} takeWork
 */

/** @type {CallFrame} */
const NO_FRAME = Object.freeze({ functionName: '', scriptId: '1', url: '', lineNumber: -1, columnNumber: -1 })

/**
 * @param {object} parts
 * @param {ResolvedOptions} parts.options
 * @param {Logger} parts.logger
 * @param {string} parts.appRoot
 * @throws ERR_LOOPSCOPE_ENGINE_MISSING
 */
function createInstruments (parts) {
  return new Instruments(parts)
}

class Instruments {
  #logger
  #options
  #state = new SharedState()
  #id = randomUUID() // titles and globals are process-wide, and other copies or tools have theirs
  /** @type {Set<Subscriber>} */
  #subscribers = new Set()
  #heartbeat
  #recording
  #observer
  #running = false
  #stallSequence = 0
  /** @type {ReturnType<typeof createClock> | undefined} */
  #clock
  #keptClocks
  #answers

  routeContext = createRouteContext()
  #stallRoute = createStallRoute({ context: this.routeContext })
  iterations = createIterations()
  #loopTime = createLoopTime()
  utilization = createUtilization({ eventLoopUtilization: () => this.#loopTime.read() })
  stallLog = createStallLog()
  tally = createTally()
  adminTally = createAdminTally()
  delay

  /** @param {Parameters<typeof createInstruments>[0]} parts */
  constructor ({ options, logger, appRoot }) {
    const { heartbeatMs, stallThresholdMs, recorder } = options
    const onFault = (/** @type {unknown} */ error) => warnOnce(logger, 'LOOPSCOPE_WARN_INTERNAL', error)
    this.#logger = logger
    this.#options = options
    this.delay = createDelayHistogram({ periodMs: heartbeatMs })
    this.#recording = createRecording({
      settings: recorder,
      titlePrefix: this.#titlePrefix,
      logger,
      loopTime: this.#loopTime,
      send: message => this.#observer.send(message),
      onRotated: () => this.#sendWork()
    })
    this.#heartbeat = createHeartbeat({
      periodMs: heartbeatMs,
      stallThresholdMs,
      state: this.#state,
      onTick: (delayMs, periods) => this.#onTick(delayMs, periods),
      onStall: tick => { this.#onStall(tick) },
      onHurry: () => this.#observer.send({ type: 'hurry' })
    })
    this.#observer = createObserver({
      state: this.#state,
      settings: {
        stallThresholdMs,
        appRoot,
        keepSeconds: recorder ? recorder.keepSeconds : 0,
        hz: recorder ? recorder.hz : 0,
        isInspectorForbidden: process.permission?.has('inspector') === false || isTestRunner(),
        windowsBySession: recorder ? ENGINES[recorder.engine].usesSession : false,
        titlePrefix: this.#titlePrefix,
        cutExpression: `globalThis[Symbol.for(${JSON.stringify(this.#cutName)})]`
      },
      onRotate: () => this.#recording.rotate(),
      onSyncSamples: reading => {
        this.#loopTime.addSamples(reading)
        this.syncCalls.addSamples(reading, performance.now())
      },
      onPoolQueued: waitedMs => this.syncCalls.poolQueued(waitedMs, performance.now()),
      onAsked: (name, argument) => this.#answer(name, argument),
      onAdmin: event => this.#onAdmin(event),
      onFault,
      onLost: () => this.#onObserverLost()
    })
    this.#keptClocks = createKeptClocks(this.#observer)
    this.relay = createRelay({ ask: (question, signal) => this.#askWhenReady(question, signal) })
    this.heap = createHeapWatching({ nodeFlags: options.nodeFlags, ask: question => this.#askWhenReady(question) })
    this.sites = createSites({ ask: question => this.#askWhenReady(question), send: message => this.#observer.send(message) })
    this.#answers = createMainAnswers({ delaySummary: () => this.delaySummary(), syncCalls: () => this.syncCalls.read(), memory: () => ({ ...readMemory(), trend: this.heap.trend }), takeSnapshot: order => this.#takeSnapshot(order) })
    this.syncCalls = createSyncCalls({
      exact: options.syncCalls,
      routeNow: () => this.#stallRoute.now(),
      showFile: file => describeFrame({ ...NO_FRAME, url: file }, { appRoot }).file,
      showFrame: frame => toCodeFrame(frame, appRoot),
      logger,
      onFault,
      poolSize: options.threadPoolSize
    })
  }

  get running () { return this.#running }
  get options () { return this.#options }

  /** The process's clock, made when it is first asked for: renewing it costs a timer in the observer. */
  get clock () {
    this.#clock ??= createClock({ keeper: this.#keptClocks.keep })
    return this.#clock
  }

  get clockIfUsed () { return this.#clock }
  get keepClock () { return this.#keptClocks.keep }

  get #titlePrefix () { return `loopscope:${this.#id}:` }
  get #cutName () { return `loopscope.cut.${this.#id}` }

  start () {
    if (this.#running) return
    this.#running = true
    installCanaries()
    this.routeContext.start()
    this.iterations.start()
    this.utilization.start()
    this.syncCalls.start()
    this.#heartbeat.start()
    Object.defineProperty(globalThis, Symbol.for(this.#cutName), {
      value: (/** @type {boolean} */ rotate) => this.#onCut(rotate),
      configurable: true
    })
    this.#startObserver()
  }

  async stop () {
    if (!this.#running) return
    this.#running = false
    this.#heartbeat.stop()
    this.#recording.stop()
    this.syncCalls.stop()
    this.#clock?.stop()
    this.heap.stop()
    this.utilization.stop()
    this.iterations.stop()
    this.routeContext.stop()
    Reflect.deleteProperty(globalThis, Symbol.for(this.#cutName))
    await this.#observer.stop()
  }

  /** To be called when work begins, so that it is watched closely. */
  hurry () {
    this.#heartbeat.hurry()
  }

  /** @param {Subscriber} subscriber */
  subscribe (subscriber) {
    this.#subscribers.add(subscriber)
  }

  /** @param {Subscriber} subscriber */
  unsubscribe (subscriber) {
    this.#subscribers.delete(subscriber)
  }

  /**
   * @param {Order} order
   * @param {AbortSignal} [signal]
   * @returns {Promise<import('../types/diagnostics').ArtifactFacts>}
   */
  async capture (order, signal) {
    return this.tally.around(order, signal, async () => {
      const ask = () => this.#askWhenReady({ type: 'capture', order }, signal)
      return order.trigger === 'api' ? this.#observer.hold(ask) : ask()
    })
  }

  delaySummary () {
    return summarizeDelay(this)
  }

  /**
   * @param {{ type: string } & Record<string, unknown>} question
   * @param {AbortSignal} [signal]
   */
  async #askWhenReady (question, signal) {
    await this.#observer.ready
    return this.#observer.ask(question, signal)
  }

  /**
   * @param {string} name
   * @param {any} argument
   */
  #answer (name, argument) {
    return Object.hasOwn(this.#answers, name) ? this.#answers[name](argument) : this.sites.answer(name, argument)
  }

  /** @param {import('./heap/take-snapshot').TakeOrder} order */
  #takeSnapshot (order) {
    this.#heartbeat.beat()
    try {
      return require('./heap/take-snapshot').takeSnapshot(order)
    } finally {
      this.#heartbeat.forgive() // it is told as what it is, and is no stall of the application
    }
  }

  /** @param {any} event  what the admin surface, which the observer serves, has to say */
  #onAdmin (event) {
    if (event.name === 'log') this.sites.log(event)
    else if (event.name === 'count') this.adminTally.count(event.event)
    else this.tally.note(event)
  }

  /**
   * Tells whether captures could be written, before one is needed.
   * @param {Pick<Order, 'dir' | 'retention'>} place
   */
  async checkStore ({ dir, retention }) {
    if (!await this.#observer.ready.catch(() => false)) return // without an observer, which is warned of elsewhere
    return this.#observer.ask({ type: 'prepare', place: { dir, retention } })
  }

  /** What we cost ourselves, as far as it can be told apart, cumulative. */
  overhead () {
    return [
      { component: 'heartbeat', seconds: this.#heartbeat.overheadSeconds },
      { component: 'recorder', seconds: this.#recording.overheadSeconds },
      { component: 'observer', seconds: this.#observer.activeSeconds }
    ]
  }

  async #startObserver () {
    try {
      this.#observer.start()
      const { sessionError } = await this.#observer.ready
      if (this.#running) this.#recording.start(sessionError, this.#heartbeat)
    } catch (error) {
      if (this.#running) warnOnce(this.#logger, 'LOOPSCOPE_WARN_OBSERVER_UNAVAILABLE', error)
    }
  }

  /** Whose code ran in the window that has just ended. */
  #sendWork () {
    const work = [...this.#subscribers].flatMap(({ takeWork }) => takeWork())
    if (work.length > 0) this.#observer.send({ type: 'work', work })
  }

  /**
   * @param {number} delayMs
   * @param {number} periods
   */
  #onTick (delayMs, periods) {
    this.delay.record(delayMs)
    this.#state.noteDelay(delayMs)
    // A slow tick stands for fast ones that would have been on time.
    for (let period = 1; period < periods; period++) this.delay.record(0)
    if (this.#recording.tick(monotonicMicros())) this.#heartbeat.forgive()
    // What ran long without stalling the loop must not be blamed for the next stall.
    if (delayMs < this.#options.stallThresholdMs) for (const { takeSlowest } of this.#subscribers) takeSlowest()
  }

  /**
   * Called by the observer through the inspector, in the middle of whatever the main thread does.
   * @param {boolean} rotate
   */
  #onCut (rotate) {
    this.#stallRoute.look(this.#state.tickMicros)
    if (rotate) this.#recording.rotate()
    return { route: this.#stallRoute.now() }
  }

  #onObserverLost () {
    this.#keptClocks.lose()
    if (!this.#running) return
    this.#recording.lose()
    warnOnce(this.#logger, 'LOOPSCOPE_WARN_OBSERVER_UNAVAILABLE', 'it ended')
  }

  /** @param {LateTick} tick */
  async #onStall (tick) {
    const route = this.#stallRoute.of(tick, [...this.#subscribers].map(({ takeSlowest }) => takeSlowest()))
    this.#recording.rotateSoon()
    const id = ++this.#stallSequence
    const { cause, culprit, stack, evidence } = await this.#explain({ ...tick, id })
    if (!this.#running) return
    /** @type {Stall} */
    const stall = {
      id,
      at: Math.round(toEpochMs(tick.toMicros - tick.delayMs * 1e3)),
      durationMs: Math.round(tick.delayMs),
      cause,
      route: route(),
      culprit,
      stack,
      evidence
    }
    this.stallLog.add(stall)
    this.#observer.send({ type: 'stalled', stall })
    const [first] = this.#subscribers
    for (const subscriber of this.#subscribers) subscriber.onStall(stall, subscriber === first)
  }

  /**
   * @param {LateTick & { id: number }} stall
   * @returns {Promise<Explanation>}
   */
  async #explain (stall) {
    try {
      return await this.#observer.ask({ type: 'stall', stall })
    } catch {
      return UNEXPLAINED // the observer is not running, which was warned of
    }
  }
}

module.exports = { createInstruments }
