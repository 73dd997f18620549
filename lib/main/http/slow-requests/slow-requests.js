'use strict'

// The worst requests, each with where its time went. Of a request that is none of them nothing is kept and nothing is computed.

const { toEpochMs, monotonicMicros } = require('../../../shared/base/monotonic')
const { traceOf } = require('../../trace-of')
const { routeOf } = require('../route-template')
const { Arrivals } = require('./arrivals')
const { timelineOf, toMs } = require('./timeline')
const { Worst } = require('./worst')

/** @import { SlowRequest } from '../../../../types/slow-requests' */
/** @import { Interval } from '../../loop/own-work' */
/** @import { RequestContext } from '../contexts/one-request' */
/** @import { Answer, Known, Run, Timeline } from './timeline' */

// Nobody notices less, and samples that are 10 ms apart tell nothing of it.
const MIN_MICROS = 50_000
// Samples come with their windows, a few seconds late. What was not told by then will not be.
const SETTLED_MICROS = 30e6

// Of each kind. What runs for a millisecond or more is told: two seconds of nothing but that, a minute of a busy process.
const MAX_KEPT = 2000
// Routers await as well: the route is asked for when middleware is done.
const RIPE_MICROS = 1e6

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

/** @typedef {Interval & { startMicros: number, context: RequestContext | null, route: string }} Entry  its route is valid when there is no context */

class SlowRequests {
  #arrivals
  #past = new Past(() => this.#settle(Infinity))
  /** @type {Worst<Kept>} */
  #worst = new Worst()

  /**
   * @param {object} parts
   * @param {{ dueMicros: number }} parts.heartbeat
   */
  constructor ({ heartbeat }) {
    this.#arrivals = new Arrivals(heartbeat)
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

/** What ran when, as far as it may still be asked for. Bounded; requests are let go of after a second, and only their routes stay. */
class Past {
  #onFull
  /** @type {Entry[]} */
  #work = []
  /** @type {Entry[]} */
  #seen = []
  /** @type {Interval[]} */
  #late = []
  /** @type {Answer[]} */
  #answers = []
  /** @type {Run[]} */
  #runs = []

  /** @param {() => void} onFull  what is oldest is about to be forgotten */
  constructor (onFull) {
    this.#onFull = onFull
  }

  /**
   * @param {RequestContext} context  whose synchronous code ran
   * @param {number} fromMicros
   * @param {number} toMicros
   */
  addWork (context, fromMicros, toMicros) {
    this.#add(this.#work, { fromMicros, toMicros, startMicros: context.startMicros, context, route: '' })
    nameRipe(this.#work, toMicros)
  }

  /**
   * @param {RequestContext} context  whose code ran at a moment
   * @param {number} micros
   */
  addSeen (context, micros) {
    this.#add(this.#seen, { fromMicros: micros, toMicros: micros, startMicros: context.startMicros, context, route: '' })
    nameRipe(this.#seen, micros)
  }

  /** @param {Interval} interval  in which the loop was late */
  addLate (interval) {
    this.#add(this.#late, interval)
  }

  /** @param {Answer} answer */
  addAnswer (answer) {
    this.#add(this.#answers, answer)
  }

  /** @param {Run[]} runs  from samples, in order, of all the time that is still to be explained */
  setRuns (runs) {
    this.#runs = runs
  }

  /** @returns {Known} */
  read () {
    return {
      work: this.#work.map(toPlain).sort((left, right) => left.fromMicros - right.fromMicros),
      seen: this.#seen.map(toPlain),
      late: this.#late,
      answers: this.#answers,
      runs: this.#runs
    }
  }

  /**
   * @template T
   * @param {T[]} kept
   * @param {T} added
   */
  #add (kept, added) {
    if (kept.length === MAX_KEPT) {
      this.#onFull()
      kept.splice(0, MAX_KEPT / 2)
    }
    kept.push(added)
  }
}

/**
 * @param {Entry[]} entries  in order of their ends
 * @param {number} micros  now
 */
function nameRipe (entries, micros) {
  for (let index = entries.findLastIndex(({ toMicros }) => toMicros <= micros - RIPE_MICROS); index >= 0; index--) {
    const entry = entries[index]
    if (entry.context === null) return
    entry.route = routeOf(entry.context.request)
    entry.context = null
  }
}

/** @param {Entry} entry */
function toPlain ({ fromMicros, toMicros, startMicros, context, route }) {
  return { fromMicros, toMicros, startMicros, route: context === null ? route : routeOf(context.request) }
}

module.exports = { SlowRequests }
