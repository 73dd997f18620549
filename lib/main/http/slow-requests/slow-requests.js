'use strict'

// The worst requests, each with where its time went, wired. Of a request that is none of them nothing is kept and nothing is computed.

const { toEpochMs, monotonicMicros } = require('../../../shared/base/monotonic')
const { traceOf } = require('../../tracing/trace-of')
const { createArrivals } = require('./arrivals')
const { createPast } = require('./past')
const { toMs } = require('./shares')
const { timelineOf } = require('./timeline')
const { Worst } = require('./worst')

/** @import { SlowRequest } from '../../../../types/slow-requests' */
/** @import { RequestContext } from '../contexts/one-request' */
/** @import { Timeline } from './shares' */
/** @import { Run } from './timeline' */

// Nobody notices less, and samples that are 10 ms apart tell nothing of it.
const MIN_MICROS = 50_000
// Samples come with their windows, a few seconds late. What was not told by then will not be.
const SETTLED_MICROS = 30e6

/**
 * @typedef {object} Kept
 * @property {string} route
 * @property {number} status
 * @property {string | null} traceId
 * @property {number} fromMicros   when it may have come
 * @property {number} startMicros  when it was read
 * @property {number} toMicros
 * @property {number} durationMicros
 * @property {Timeline | null} timeline  null: more may be known soon
 */

/**
 * @param {object} parts
 * @param {{ dueMicros: number }} parts.heartbeat
 */
function createSlowRequests (parts) {
  return new SlowRequests(parts)
}

class SlowRequests {
  #arrivals
  #past = createPast({ onFull: () => this.#settle(Infinity) })
  /** @type {Worst<Kept>} */
  #worst = new Worst()

  /** @param {Parameters<typeof createSlowRequests>[0]} parts */
  constructor ({ heartbeat }) {
    this.#arrivals = createArrivals({ heartbeat })
  }

  stop () {
    this.#arrivals.stop()
  }

  /**
   * @param {number} micros  now, when a request is read
   * @param {object} request
   * @returns {number} the first moment at which it may have been there
   */
  arrivedMicros (micros, request) {
    return this.#arrivals.firstMicros(micros, request)
  }

  /**
   * To be called with each tick of the heartbeat.
   * @param {number} micros  now
   * @param {number} delayMs
   */
  noteTick (micros, delayMs) {
    if (this.#arrivals.noteTick(micros, delayMs)) this.#past.addLate({ fromMicros: micros - delayMs * 1e3, toMicros: micros })
  }

  /**
   * @param {RequestContext} context  whose synchronous code ran
   * @param {number} fromMicros
   * @param {number} toMicros
   */
  noteWork (context, fromMicros, toMicros) {
    this.#past.addWork(context, fromMicros, toMicros)
  }

  /**
   * @param {RequestContext} context  whose code was found running
   * @param {number} micros
   */
  noteSeen (context, micros) {
    this.#past.addSeen(context, micros)
  }

  /**
   * To be called for every request when it was answered.
   * @param {RequestContext} context
   * @param {string} route
   * @param {number} status
   * @param {number} toMicros
   */
  noteAnswer ({ request, startMicros, arrivedMicros: fromMicros }, route, status, toMicros) {
    this.#arrivals.noteAnswer(request, toMicros)
    const durationMicros = toMicros - fromMicros
    if (durationMicros < MIN_MICROS) return
    this.#past.addAnswer({ startMicros, route, toMicros })
    if (!this.#worst.isAmong(route, durationMicros, toMicros)) return
    this.#worst.add({ route, status, traceId: traceOf(request)?.traceId ?? null, fromMicros, startMicros, toMicros, durationMicros, timeline: null })
  }

  /** From when on samples are wanted; null: they are not. */
  get wantedMicros () {
    const starts = this.#worst.list(monotonicMicros()).filter(({ timeline }) => timeline === null).map(({ fromMicros }) => fromMicros)
    return starts.length === 0 ? null : Math.min(...starts)
  }

  /**
   * @param {Run[]} runs  from samples since wantedMicros, in order
   * @param {number} toMicros  up to when they tell
   */
  addRuns (runs, toMicros) {
    this.#past.setRuns(runs)
    this.#settle(toMicros)
  }

  /** @returns {SlowRequest[]} worst first */
  list () {
    const micros = monotonicMicros()
    this.#settle(micros - SETTLED_MICROS)
    const requests = this.#worst.list(micros)
    const known = requests.every(({ timeline }) => timeline !== null) ? null : this.#past.read()
    return requests.map(request => toItem(request, request.timeline ?? timelineOf(request, /** @type {NonNullable<typeof known>} */ (known))))
  }

  /** @param {number} micros  up to when everything is known that will be */
  #settle (micros) {
    const open = this.#worst.list(monotonicMicros()).filter(({ timeline, toMicros }) => timeline === null && toMicros <= micros)
    if (open.length === 0) return
    const known = this.#past.read()
    for (const request of open) request.timeline = timelineOf(request, known)
  }
}

/**
 * @param {Kept} request
 * @param {Timeline} timeline
 * @returns {SlowRequest}
 */
function toItem ({ route, status, traceId, fromMicros, startMicros, durationMicros }, timeline) {
  return {
    at: Math.round(toEpochMs(fromMicros)),
    route,
    status,
    durationMs: toMs(durationMicros),
    unreadMs: toMs(startMicros - fromMicros),
    ...timeline,
    traceId
  }
}

module.exports = { createSlowRequests }
