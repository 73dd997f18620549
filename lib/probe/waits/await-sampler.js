'use strict'

// Samples where requests wait: at which line of their code, for how long. V8 reports each promise that is awaited, and when its function goes on.
// The hooks are process-wide and cost every await while they are there, so they are installed for a short time only: by themselves a few requests at a
// time, on demand all requests for some seconds. Capturing has a budget of processor time.

const { reportFault } = require('../../base/guard')
const { monotonicMicros } = require('../../base/monotonic')
const { isReceiving } = require('../http/in-flight')
const { routeOf } = require('../http/route-template')
const { AwaitSample, Batch } = require('./await-sample')
const { ResourceWaits } = require('./resource-waits')

/** @import { RequestContext } from '../http/contexts/one-request' */
/** @import { RouteContext } from '../http/contexts/route-context' */
/** @import { AwaitBatch, Settled, Wait } from './await-sample' */

// Of a second: half a percent of a core, and on demand a twentieth. What is left over counts for the next second, no longer.
const BUDGET_MICROS = 5000
const ASKED_BUDGET_MICROS = 50_000
// A stack takes a tenth of it.
const MAX_STACK_MICROS = 100
// What the observer takes for each request: so there are at most 20 a second, and on demand 200.
const SAMPLE_MICROS = 250

// A period takes the requests of this time; the hooks are there until they are answered. Where they take longer, it takes further ones meanwhile, until
// there are enough to say something about.
const PERIOD_MICROS = 100_000
const LONG_PERIOD_MICROS = 1e6
const ENOUGH_SAMPLES = 10
const MAX_PRESENT_MICROS = 10e6
// The hooks are there for a tenth of the time at most.
const REST_FACTOR = 9
const MIN_REST_MICROS = 1e6
// On demand they rest for a while once the budget has not reached so many requests, each of which they cost.
const MAX_MISSED = 100
const ASKED_REST_MICROS = 0.5e6
// On demand, in flight at once and until they are sent.
const MAX_SAMPLES = 2000

class AwaitSampler {
  #context
  #isOn = false
  /** Whether the next request may be sampled: all that is read of a request where none is. */
  #isTaking = false
  /** @type {typeof import('node:v8').promiseHooks | null} */
  #hooks = null
  /** A request would be sampled if they were loaded. */
  #isWanted = false
  /** Removes the hooks; null: there are none. @type {(() => void) | null} */
  #remove = null
  #presentMicros = 0
  /** Requests sampled in this period. */
  #taken = 0
  #takeUntilMicros = 0
  #nextMicros = 0
  #askedUntilMicros = 0
  #seen = 0
  /** Requests that the budget did not reach since the hooks are there. */
  #missed = 0
  #budget = new Budget()
  /** @type {Map<RequestContext, AwaitSample>} */
  #samples = new Map()
  /** By the promise that a function goes on with. @type {WeakMap<object, Wait>} */
  #waits = new WeakMap()
  /** Where promises were made. @type {WeakMap<object, NonNullable<Wait['made']>>} */
  #made = new WeakMap()
  /** Of promises that are awaited. @type {WeakMap<object, Settled & { sample: AwaitSample }>} */
  #settled = new WeakMap()
  /** Since when code of requests that were answered waits, and of no request: the tasks of a queue run there. @type {WeakMap<object, number>} */
  #late = new WeakMap()
  /** What the code that runs waited for. @type {object | null} */
  #running = null
  #tickMicros = 0
  #resources
  #batch = new Batch()

  /** @param {{ context: Pick<RouteContext, 'current'> }} parts */
  constructor ({ context }) {
    this.#context = context
    this.#resources = new ResourceWaits({ sampleNow: () => this.#sampleNow(), budget: this.#budget })
  }

  /** Samples not sent yet. */
  get length () { return this.#batch.samples.length }

  /** From now on it samples by itself. */
  start () {
    this.#isOn = true
  }

  stop () {
    this.#isOn = false
    this.#askedUntilMicros = 0
    this.#uninstall()
    this.#batch = new Batch()
  }

  /**
   * Samples all requests for some time, as far as the budget allows.
   * @param {number} seconds
   * @returns {{ seesCallbacks: boolean }}
   */
  ask (seconds) {
    const micros = monotonicMicros()
    this.#seen = 0
    this.#askedUntilMicros = Math.max(this.#askedUntilMicros, micros + seconds * 1e6)
    this.#isTaking = true
    this.#install(micros)
    this.#budget.refill(micros, ASKED_BUDGET_MICROS)
    return { seesCallbacks: this.#resources.start() }
  }

  /** @returns {{ seen: number }} requests that began since sampling was asked for; those in flight are sent as they are now */
  readAsked () {
    for (const [context, sample] of this.#samples) this.#close(sample, context, routeOf(context.request), monotonicMicros(), true)
    this.tick(monotonicMicros())
    return { seen: this.#seen }
  }

  /**
   * Call it when a request or a job begins.
   * @param {RequestContext} [begun]  without it the current one
   */
  onRequest (begun) {
    if (!this.#isTaking) return
    const context = begun ?? this.#context.current()
    if (context === undefined || context.startMicros === 0) return
    const { startMicros: micros } = context
    const isAsked = micros < this.#askedUntilMicros
    if (isAsked) this.#seen++
    else if (!this.#isOn) return
    else if (this.#hooks === null) {
      this.#isWanted = true
      return
    }
    if (this.#remove === null && micros < this.#nextMicros) return
    this.#budget.refill(micros, isAsked ? ASKED_BUDGET_MICROS : BUDGET_MICROS)
    const isFull = this.#budget.isSpent || this.#samples.size + this.length >= MAX_SAMPLES
    if (!isAsked && this.#remove !== null && (isFull || this.#isPeriodOver(micros))) return this.#endPeriod(micros)
    if (isFull) {
      this.#missed++
      return
    }
    this.#install(micros)
    if (this.#remove === null) return
    this.#samples.set(context, new AwaitSample(context))
    this.#taken++
    this.#budget.spend(SAMPLE_MICROS)
  }

  /** @param {number} micros  now */
  #isPeriodOver (micros) {
    if (micros <= this.#takeUntilMicros) return false
    return this.#samples.size === 0 || this.#taken >= ENOUGH_SAMPLES || micros > this.#presentMicros + LONG_PERIOD_MICROS
  }

  /**
   * Call it for every request once it is answered, and for every job once it ends.
   * @param {RequestContext} context
   * @param {string} route
   * @param {number} toMicros
   * @param {boolean} [isOpen]  its client has given up
   */
  end (context, route, toMicros, isOpen = false) {
    const sample = this.#samples.get(context)
    if (sample !== undefined) this.#close(sample, context, route, toMicros, isOpen)
  }

  /** Call it for a request that is not the application's. @param {RequestContext} context */
  forget (context) {
    const sample = this.#samples.get(context)
    if (sample === undefined) return
    this.#samples.delete(context)
    this.#resources.forget(sample)
  }

  /**
   * Call it with each tick of the heartbeat.
   * @param {number} micros  now
   */
  tick (micros) {
    if (this.#isWanted) this.#loadHooks()
    this.#isWanted = false
    if (this.#remove === null) {
      this.#isTaking ||= this.#isOn && micros >= this.#nextMicros
      return
    }
    this.#noteClients(micros)
    if (micros < this.#askedUntilMicros) {
      if (this.#missed > MAX_MISSED && this.#samples.size === 0) this.#rest(micros)
      return
    }
    this.#resources.stop()
    if (this.#isTaking && !this.#isPeriodOver(micros)) return
    if (this.#isTaking) this.#endPeriod(micros)
    const isLate = micros > this.#takeUntilMicros + MAX_PRESENT_MICROS
    if (this.#samples.size > 0 && !isLate) return
    // Those that wait for so long are of interest as they are.
    for (const [context, sample] of this.#samples) this.#close(sample, context, routeOf(context.request), micros, true)
    this.#nextMicros = micros + Math.max(MIN_REST_MICROS, REST_FACTOR * (micros - Math.max(this.#presentMicros, this.#askedUntilMicros)))
    this.#uninstall()
  }

  /** @param {number} micros  now */
  #rest (micros) {
    this.#uninstall()
    this.#isTaking = true // the requests are still counted
    this.#nextMicros = micros + ASKED_REST_MICROS
  }

  /** What the system has not taken waits for a client that does not read; what has not arrived, for one that does not send. @param {number} micros  now */
  #noteClients (micros) {
    for (const [context, sample] of this.#samples) {
      const sinceMicros = micros - Math.max(this.#tickMicros, context.startMicros)
      if (hasUnread(context)) sample.clientMicros += sinceMicros
      if (isReceiving(context.request)) sample.uploadMicros += sinceMicros
    }
    this.#tickMicros = micros
  }

  /** No further requests, until the hooks have been away for a while. @param {number} micros  now */
  #endPeriod (micros) {
    this.#isTaking = false
    this.#takeUntilMicros = micros
  }

  /** @returns {AwaitBatch} what was not sent yet */
  take () {
    const batch = this.#batch.read()
    if (this.length > 0) this.#batch = new Batch()
    return batch
  }

  /**
   * @param {AwaitSample} sample
   * @param {RequestContext} context
   * @param {string} route
   * @param {number} toMicros
   * @param {boolean} isOpen
   */
  #close (sample, context, route, toMicros, isOpen) {
    this.#samples.delete(context)
    this.#resources.forget(sample)
    const stacks = sample.waits.length
    const fromMicros = monotonicMicros()
    sample.close(this.#batch, route, toMicros, isOpen)
    this.#budget.spendSince(fromMicros, stacks)
  }

  /** Loaded once there are requests, and not while one is handled: it takes two milliseconds. */
  #loadHooks () {
    this.#hooks ??= process.getBuiltinModule('node:v8').promiseHooks
    return this.#hooks
  }

  /** @param {number} micros  now */
  #install (micros) {
    if (this.#remove !== null) return
    this.#presentMicros = micros
    this.#missed = this.#taken = 0
    this.#takeUntilMicros = micros + PERIOD_MICROS
    try {
      this.#remove = /** @type {() => void} */ (this.#loadHooks().createHook({ init: this.#onInit, before: this.#onBefore, after: this.#onAfter, settled: this.#onSettled }))
      if (micros < this.#askedUntilMicros) this.#resources.start()
    } catch {
      this.#isOn = this.#isTaking = false // a runtime without such hooks
    }
  }

  #uninstall () {
    this.#remove?.()
    this.#remove = null
    this.#isTaking = false
    this.#resources.stop()
    this.#samples.clear()
    // Promises that never settle keep nothing.
    this.#waits = new WeakMap()
    this.#made = new WeakMap()
    this.#settled = new WeakMap()
    this.#late = new WeakMap()
    this.#running = null
  }

  /** @returns {AwaitSample | undefined} of the request whose code runs */
  #sampleNow () {
    return this.#samples.size === 0 ? undefined : this.#sampleOf(this.#context.current())
  }

  /** @param {RequestContext | undefined} context */
  #sampleOf (context) {
    return context === undefined ? undefined : this.#samples.get(context)
  }

  // The hooks run inside of the application's code, for every promise: they make no promise, and throw nothing.

  #onInit = (/** @type {object} */ promise, /** @type {object | undefined} */ parent) => {
    try {
      if (this.#samples.size === 0) return
      const context = this.#context.current()
      const sample = this.#sampleOf(context)
      const fromMicros = monotonicMicros()
      if (parent !== undefined && (context === undefined || context.startMicros === 0)) this.#late.set(promise, fromMicros)
      if (sample === undefined || sample.isTruncated) return
      const stack = sample.capture(this.#onInit, parent === undefined)
      if (stack !== null && parent === undefined) this.#made.set(promise, stack)
      else if (stack !== null && parent !== undefined) {
        const settled = this.#settledOf(parent, sample)
        const made = this.#made.get(parent) ?? this.#waits.get(parent)?.made ?? null
        const wait = { stack, made, settled, isShared: made === null || settled.sample !== sample, resource: '', fromMicros, toMicros: 0, sample }
        this.#waits.set(promise, wait)
        sample.waits.push(wait)
      }
      this.#budget.spendSince(fromMicros)
    } catch (error) {
      reportFault(error)
    }
  }

  /**
   * Call it when a library reports a call: in code with callbacks nothing else shows its line.
   * @param {RequestContext} context
   * @param {string} kind
   * @returns {Wait | null} to be ended with the call; null: the request is not sampled
   */
  beginCall (context, kind) {
    const sample = this.#samples.size === 0 ? undefined : this.#samples.get(context)
    if (sample === undefined || sample.isTruncated) return null
    const fromMicros = monotonicMicros()
    const stack = sample.capture(this.beginCall, false)
    this.#budget.spendSince(fromMicros)
    if (stack === null) return null
    const wait = { stack, made: null, settled: null, isShared: false, resource: kind, fromMicros, toMicros: 0, sample }
    sample.waits.push(wait)
    return wait
  }

  /**
   * @param {object} promise  that the request awaits
   * @param {AwaitSample} sample
   */
  #settledOf (promise, sample) {
    let settled = this.#settled.get(promise)
    if (settled === undefined || settled.sample.isOver) {
      settled = { sample, stack: null, context: sample.context, sinceMicros: 0, byMicros: 0 }
      this.#settled.set(promise, settled)
    }
    return settled
  }

  #onSettled = (/** @type {object} */ promise) => {
    try {
      const settled = this.#settled.get(promise)
      if (settled === undefined || settled.sample.isOver) return
      this.#settled.delete(promise)
      const fromMicros = monotonicMicros()
      settled.stack = settled.sample.captureSettled(this.#onSettled)
      settled.context = this.#context.current()
      settled.sinceMicros = this.#sinceMicros()
      settled.byMicros = settled.context?.startMicros ?? 0
      this.#budget.spendSince(fromMicros)
    } catch (error) {
      reportFault(error)
    }
  }

  /** When the code that runs began to wait for what let it go on; 0: not known. */
  #sinceMicros () {
    if (this.#running === null) return 0
    return this.#waits.get(this.#running)?.fromMicros ?? this.#late.get(this.#running) ?? 0
  }

  #onBefore = (/** @type {object} */ promise) => {
    this.#running = promise
    try {
      const wait = this.#waits.get(promise)
      if (wait !== undefined && !wait.sample.isOver) wait.toMicros = monotonicMicros()
    } catch (error) {
      reportFault(error)
    }
  }

  #onAfter = (/** @type {object} */ promise) => {
    this.#running = null
    try {
      const wait = this.#waits.get(promise)
      if (wait === undefined || wait.sample.isOver || wait.toMicros === 0) return
      this.#waits.delete(promise)
      wait.sample.runs.push(wait.toMicros, monotonicMicros())
    } catch (error) {
      reportFault(error)
    }
  }
}

/** @param {RequestContext} context */
function hasUnread ({ socket, request }) {
  try {
    return ((socket ?? request.socket)?.writableLength ?? 0) > 0
  } catch {
    return false // a session of HTTP/2 that is closed
  }
}

/** Processor time that capturing may take. It may be overdrawn by one request. */
class Budget {
  #leftMicros = 0
  #atMicros = -Infinity

  get isSpent () { return this.#leftMicros <= 0 }

  /**
   * @param {number} micros  now
   * @param {number} perSecondMicros
   */
  refill (micros, perSecondMicros) {
    const gained = (micros - this.#atMicros) / 1e6 * perSecondMicros
    this.#leftMicros = Math.min(perSecondMicros, this.#leftMicros + gained)
    this.#atMicros = micros
  }

  /** @param {number} micros */
  spend (micros) {
    this.#leftMicros -= micros
  }

  /**
   * @param {number} fromMicros
   * @param {number} [stacks]  so many were captured, or read
   */
  spendSince (fromMicros, stacks = 1) {
    // What takes longer waited for a CPU, and is no cost: else the budget would be gone for seconds where CPUs lack.
    this.spend(Math.min(monotonicMicros() - fromMicros, (stacks + 1) * MAX_STACK_MICROS))
  }
}

module.exports = { AwaitSampler, Budget }
