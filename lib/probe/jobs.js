'use strict'

// Work without an HTTP request, under a name of the application's choice: queue consumers, scheduled tasks, messages of a WebSocket. A job has the
// same context as a request, so its stalls, samples, waits and slow runs are found and shown the same way, as `job <name>`.

const { BucketCounts } = require('../base/bucket-counts')
const { reportFault } = require('../base/guard')
const { monotonicMicros } = require('../base/monotonic')
const { warnOnce } = require('../base/warnings')
const { MIN_WORK_MICROS, createRequestContext } = require('./http/contexts/one-request')
const { finishRequest } = require('./http/response-ends')
const { ROUTE } = require('./http/route-template')
const { noteSpan } = require('./trace-of')

/** @import { Logger } from '../../types/diagnostics' */
/** @import { BucketReading } from '../base/bucket-counts' */
/** @import { RequestContext } from './http/contexts/one-request' */
/** @import { RouteContext } from './http/contexts/route-context' */
/** @import { InFlight } from './http/in-flight' */
/** @import { SlowestRequest } from './http/stall-route' */
/** @import { RequestNotes } from './request-notes' */

// Each name is a series of metrics.
const MAX_NAMES = 100
const OTHER = '_other'
const NAME = /^(?=.*\S)[^\p{C}\p{Zl}\p{Zp}]{1,100}$/u

// Jobs last from milliseconds to hours.
const BOUNDS_SECONDS = Object.freeze([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600])

/** @typedef {{ route: string, ok: BucketCounts, error: BucketCounts }} Counted */
/** @typedef {{ job: string, outcome: 'ok' | 'error', reading: BucketReading }} JobReading */

class Jobs {
  #parts
  /** By name. @type {Map<string, Counted>} */
  #counted = new Map()

  /**
   * @param {object} parts
   * @param {RouteContext} parts.context
   * @param {InFlight} parts.inFlight
   * @param {Pick<RequestNotes, 'noteWork' | 'noteAnswer' | 'awaits'>} parts.notes
   * @param {() => void} parts.onBegin
   * @param {Pick<Logger, 'warn'>} parts.logger
   */
  constructor (parts) {
    this.#parts = parts
  }

  /**
   * @template T
   * @param {unknown} name
   * @param {() => T} fn
   * @param {Pick<SlowestRequest, 'note'>} slowest
   * @returns {T} what fn returns; a promise settles as fn's does. What fn throws is thrown.
   */
  run (name, fn, slowest) {
    const context = this.#begin(name)
    if (context === undefined) return fn()
    let isError = true
    /** @type {any} */
    let result
    try {
      result = this.#parts.context.run(context, fn)
      isError = false
    } finally {
      this.#worked(context, slowest)
      if (isError || typeof result?.then !== 'function') this.#end(context, isError)
    }
    if (typeof result?.then !== 'function') return result
    // The promise that follows is returned, not fn's own, or a rejection that nobody handles would count as handled.
    return result.then((/** @type {unknown} */ value) => {
      this.#end(context, false)
      return value
    }, (/** @type {unknown} */ error) => {
      this.#end(context, true)
      throw error
    })
  }

  /**
   * @param {unknown} name
   * @returns {RequestContext | undefined} undefined where the job cannot be followed; it runs nevertheless
   */
  #begin (name) {
    const { context, inFlight, notes, onBegin } = this.#parts
    if (!context.running) return undefined
    try {
      onBegin()
      const { route } = this.#admit(name)
      const micros = monotonicMicros()
      const request = /** @type {any} */ ({ method: 'job', url: '', headers: {}, [ROUTE]: route })
      const job = createRequestContext(request, micros, micros)
      job.firstTurn = 0 // it may begin anywhere in a call
      job.route = route
      noteSpan(request)
      inFlight.addJob(job)
      notes.awaits.onRequest(job)
      return job
    } catch (error) {
      reportFault(error)
      return undefined
    }
  }

  /** @param {unknown} name */
  #admit (name) {
    const isUsable = typeof name === 'string' && NAME.test(name)
    if (!isUsable) warnOnce(this.#parts.logger, 'LOOPSCOPE_WARN_JOB', 'a name is a text of 1 to 100 printable characters')
    const wanted = isUsable ? name : OTHER
    const known = this.#counted.get(wanted)
    if (known !== undefined) return known
    if (this.#counted.size >= MAX_NAMES && wanted !== OTHER) {
      warnOnce(this.#parts.logger, 'LOOPSCOPE_WARN_JOB', `there are more than ${MAX_NAMES} names`)
      return this.#learn(OTHER)
    }
    return this.#learn(wanted)
  }

  /** @param {string} name */
  #learn (name) {
    const counted = this.#counted.get(name) ?? { route: `job ${name}`, ok: new BucketCounts(BOUNDS_SECONDS), error: new BucketCounts(BOUNDS_SECONDS) }
    this.#counted.set(name, counted)
    return counted
  }

  /**
   * @param {RequestContext} job  whose synchronous code has run
   * @param {Pick<SlowestRequest, 'note'>} slowest
   */
  #worked (job, slowest) {
    const toMicros = monotonicMicros()
    slowest.note(job, job.startMicros, toMicros)
    if (toMicros - job.startMicros >= MIN_WORK_MICROS) this.#parts.notes.noteWork(job, job.startMicros, toMicros)
  }

  /** @param {RequestContext} job @param {boolean} isError */
  #end (job, isError) {
    try {
      const toMicros = monotonicMicros()
      const route = /** @type {string} */ (job.route)
      const counted = this.#counted.get(route.slice('job '.length))
      counted?.[isError ? 'error' : 'ok'].observe((toMicros - job.startMicros) / 1e6)
      this.#parts.notes.noteAnswer(job, route, null, toMicros)
      finishRequest(job, 0)
    } catch (error) {
      reportFault(error)
    }
  }

  /** @returns {JobReading[]} */
  read () {
    const outcomes = /** @type {const} */ (['ok', 'error'])
    return [...this.#counted].flatMap(([job, counted]) => outcomes.map(outcome => ({ job, outcome, reading: counted[outcome].read() })))
      .filter(({ reading }) => reading.count > 0)
  }
}

module.exports = { Jobs }
