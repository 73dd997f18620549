'use strict'

// Notes about requests for the observer, which evaluates them: labels of samples (observer/labels/) and slow requests (observer/slow-requests/).
// Nothing is computed here. They are sent in batches: with each window of the recorder, on request, and otherwise before they are too many or too
// old.

const { monotonicMicros } = require('../base/monotonic')
const { readBlockedStack } = require('./blocked-stack')
const { Arrivals } = require('./http/arrivals')
const { InFlight } = require('./http/in-flight')
const { RequestLog } = require('./http/request-log')
const { isEventStream } = require('./http/response-ends')
const { handlersOf, isFinished, routeOf } = require('./http/route-template')
const { STATUS_CLIENT_CLOSED } = require('../shared/requests/request-batch')
const { traceOf } = require('./trace-of')
const { AwaitSampler } = require('./waits/await-sampler')
const { DependencyCalls } = require('./waits/dependency-calls')

/** @import { Tell } from '../link/channel' */
/** @import { BlockedStack } from './blocked-stack' */
/** @import { Collection, Collections } from './heap/collections' */
/** @import { RequestContext } from './http/contexts/one-request' */
/** @import { RouteContext } from './http/contexts/route-context' */
/** @import { InFlightReading } from './http/in-flight' */
/** @import { RequestBatch } from '../shared/requests/request-batch' */
/** @import { Interval } from './loop/own-work' */
/** @import { AwaitBatch } from './waits/await-sample' */
/** @import { CallBatch } from './waits/dependency-calls' */

// Shorter requests are not noticeable, and samples that are 10 ms apart give no information about them.
const MIN_ANSWER_MICROS = 50_000

// Routers may await: the route is available once middleware is done.
const SETTLED_MICROS = 1e6

// Of each kind, until they are sent: a window of five seconds has at most that many pieces of work of a millisecond each.
const MAX_NOTES = 5000
// So many are sent with the next tick: passing them on takes less than a millisecond.
const MANY_NOTES = 1000
const MAX_HELD_MICROS = 10e6
const MAX_PROBES = 200

// Routes are few; masked paths may be many.
const MAX_ROUTES = 500
const MAX_FUNCTIONS = 4 // of a route: the route's own middleware first, the handler last

/**
 * @typedef {object} StackProbe
 * @property {number} atMicros
 * @property {string | null} route  null outside requests
 * @property {string} calls         the stack, as in BlockedStack
 */

/**
 * @typedef {Interval & { startMicros: number, route: string }} Work  of the request that began at startMicros; its route as far as available when
 *   it was sent
 *
 * @typedef {object} Answer
 * @property {string} route
 * @property {number | null} status  null: a job
 * @property {string | null} traceId
 * @property {number} fromMicros   when the request may have arrived
 * @property {number} startMicros  when Node.js read it
 * @property {number} toMicros
 * @property {number[][]} waits  as returned by RequestWaits.read()
 *
 * @typedef {object} Notes
 * @property {number} toMicros  the time up to which they are complete
 * @property {Work[]} work      synchronous code that ran for requests, by end time
 * @property {StackProbe[]} probes     stack probes that are at least a second old
 * @property {Work[]} seen      moments at which a request's code was found running
 * @property {Interval[]} late  when the loop was late
 * @property {Answer[]} answers  slow ones only
 * @property {Collection[]} collections  garbage collections
 * @property {RequestBatch | null} log  all requests of a stretch of time; null: none
 * @property {CallBatch} calls  calls to the application's dependencies
 * @property {AwaitBatch} awaits  where sampled requests waited
 * @property {InFlightReading} inFlight  the requests under way
 * @property {boolean} hasHandlers  functions of new routes can be requested
 */

class RequestNotes {
  #context
  #tell
  #heartbeat
  #inFlight
  #arrivals
  #collections
  #handlers = new Handlers()
  #probes = new StackProbes((route, request) => this.#handlers.notice(route, request))
  #work = new WorkLog()
  #seen = new WorkLog()
  /** @type {Interval[]} */
  #late = []
  /** @type {Answer[]} */
  #answers = []
  #handedOverMicros = monotonicMicros()
  #log = new RequestLog(this.#handedOverMicros)
  calls
  awaits
  /** Called with the route of each request that ends, while something counts them. @type {((route: string) => void) | null} */
  onAnswer = null

  /**
   * @param {object} parts
   * @param {Pick<RouteContext, 'current' | 'restoreOn'>} parts.context
   * @param {{ dueMicros: number }} parts.heartbeat
   * @param {Tell} parts.tell  the observer
   * @param {InFlight} [parts.inFlight]
   * @param {Pick<Collections, 'take'>} [parts.collections]
   */
  constructor ({ context, heartbeat, tell, inFlight = new InFlight(), collections = { take: () => [] } }) {
    this.#context = context
    this.#heartbeat = heartbeat
    this.#inFlight = inFlight
    this.#collections = collections
    this.#tell = tell
    this.#arrivals = new Arrivals(heartbeat)
    this.awaits = new AwaitSampler({ context })
    this.calls = new DependencyCalls({ context, onFull: () => this.handOver(), awaits: this.awaits })
  }

  stop () {
    this.#arrivals.stop()
    this.calls.stop()
    this.awaits.stop()
  }

  /**
   * @param {number} micros  now, as a request is read
   * @param {object} request
   * @returns {number} the first moment at which it may have arrived
   */
  arrivedMicros (micros, request) {
    return this.#arrivals.firstMicros(micros, request)
  }

  /**
   * Call it with each tick of the heartbeat.
   * @param {number} micros  now
   * @param {number} delayMs
   */
  noteTick (micros, delayMs) {
    if (this.#arrivals.noteTick(micros, delayMs) && this.#late.length < MAX_NOTES) this.#late.push({ fromMicros: micros - delayMs * 1e3, toMicros: micros })
    this.#work.nameSettled(micros)
    this.#seen.nameSettled(micros)
    this.#inFlight.sweep(micros)
    this.awaits.tick(micros)
    const count = this.#work.length + this.#seen.length + this.#late.length + this.#answers.length + this.awaits.length
    if (count >= MANY_NOTES || this.calls.isHalfFull || (count + this.calls.length > 0 && micros - this.#handedOverMicros >= MAX_HELD_MICROS)) this.handOver()
  }

  /**
   * @param {RequestContext} context  whose synchronous code ran
   * @param {number} fromMicros
   * @param {number} toMicros
   */
  noteWork (context, fromMicros, toMicros) {
    this.#work.add(context, fromMicros, toMicros)
  }

  /**
   * Call it for every request once it is answered.
   * @param {RequestContext} context
   * @param {string} route
   * @param {number | null} status  null: a job
   * @param {number} toMicros
   */
  noteAnswer (context, route, status, toMicros) {
    const { request, startMicros, arrivedMicros: fromMicros } = context
    this.#handlers.notice(route, request)
    this.#arrivals.noteAnswer(request, toMicros)
    this.awaits.end(context, route, toMicros, status === STATUS_CLIENT_CLOSED)
    this.onAnswer?.(route)
    const isLong = toMicros - fromMicros >= MIN_ANSWER_MICROS
    if (isLong && isEventStream(context.response)) return
    this.#log.note(context, route, toMicros)
    if (!isLong || this.#answers.length === MAX_NOTES) return
    this.#answers.push({ route, status, traceId: traceOf(request)?.traceId ?? null, fromMicros, startMicros, toMicros, waits: this.calls.waitsOf(context, toMicros) })
  }

  /** Call it for a request that no handle counted, once it is answered. @param {RequestContext} context */
  noteUncounted (context) {
    const route = routeOf(context.request)
    this.#handlers.notice(route, context.request)
    this.awaits.end(context, route, monotonicMicros())
  }

  /** Call it for a request that is loopscope's own. @param {RequestContext} context */
  forget (context) {
    context.listedIn?.remove(context)
    this.awaits.forget(context)
  }

  /** Takes a stack probe; called in the middle of whatever runs. */
  probeStack () {
    const stack = readBlockedStack()
    const current = this.#context.current()
    this.#probes.note(current, stack)
    if (current !== undefined) this.#seen.add(current, stack.atMicros, stack.atMicros)
    return stack
  }

  /**
   * The requests under way. Called by a timer or for a message, none of them runs, whatever context that has.
   * @param {boolean} [isInterrupt]  it is called in the middle of whatever runs
   */
  readInFlight (isInterrupt = false) {
    const current = isInterrupt ? this.#context.current() : undefined
    return this.#inFlight.read({ current, calls: this.calls, isLate: monotonicMicros() > this.#heartbeat.dueMicros })
  }

  /** @returns {number[]} when the oldest requests under way began */
  oldestStarts () {
    return this.#inFlight.starts()
  }

  /** Called by the observer through the inspector: a message cannot carry functions. */
  takeHandlers () {
    return this.#handlers.take()
  }

  /** Call it after an observer restart: the new one has received nothing. */
  forgetSent () {
    this.#handlers.forget()
    this.calls.forgetSent()
  }

  handOver () {
    const toMicros = monotonicMicros()
    this.#handedOverMicros = toMicros
    /** @type {Notes} */
    const notes = {
      toMicros,
      work: this.#work.take(),
      probes: this.#probes.take(toMicros),
      seen: this.#seen.take(),
      late: this.#late,
      answers: this.#answers,
      collections: this.#collections.take(),
      log: this.#log.take(toMicros),
      calls: this.calls.take(),
      awaits: this.awaits.take(),
      inFlight: this.readInFlight(),
      hasHandlers: this.#handlers.freshCount > 0
    }
    this.#late = []
    this.#answers = []
    this.#tell('requestNotes', { notes })
  }
}

/**
 * Records when the code of which request ran, by end time. A route is not resolved at once, since the router may not have run, but as soon as it must
 * have: no request is retained for longer.
 */
class WorkLog {
  /** @type {(Work & { context: RequestContext | null })[]} the route is valid when there is no context */
  #entries = []
  #named = 0

  get length () { return this.#entries.length }

  /** @param {RequestContext} context @param {number} fromMicros @param {number} toMicros */
  add (context, fromMicros, toMicros) {
    if (this.#entries.length === MAX_NOTES) return
    this.#entries.push({ fromMicros, toMicros, startMicros: context.startMicros, context, route: '' })
  }

  /** @param {number} micros  now */
  nameSettled (micros) {
    for (; this.#named < this.#entries.length && this.#entries[this.#named].toMicros <= micros - SETTLED_MICROS; this.#named++) {
      const entry = this.#entries[this.#named]
      if (entry.context !== null) entry.route = routeOf(entry.context.request)
      entry.context = null
    }
  }

  /** @returns {Work[]} everything, with the routes available by now */
  take () {
    const taken = this.#entries
    this.#entries = []
    this.#named = 0
    return taken.map(({ fromMicros, toMicros, startMicros, context, route }) => {
      return { fromMicros, toMicros, startMicros, route: context === null ? route : routeOf(context.request) }
    })
  }
}

/**
 * The results of the observer's stack probes: the request that the interrupted code worked for, and its stack. They are kept until the router must
 * have found the route. It runs in the middle of the application's work, and only records.
 */
class StackProbes {
  #onRoute
  /** Oldest first. @type {{ context: RequestContext | undefined, stack: BlockedStack }[]} */
  #kept = []

  /** @param {(route: string, request: any) => void} onRoute  the code of a request was seen running, and its route is resolved */
  constructor (onRoute) {
    this.#onRoute = onRoute
  }

  /**
   * @param {RequestContext | undefined} context  of the code that is interrupted now
   * @param {BlockedStack} stack
   */
  note (context, stack) {
    if (this.#kept.length < MAX_PROBES) this.#kept.push({ context, stack })
  }

  /** @returns {StackProbe[]} */
  take (micros = monotonicMicros()) {
    const unsettled = this.#kept.findIndex(({ stack }) => stack.atMicros > micros - SETTLED_MICROS)
    return this.#kept.splice(0, unsettled === -1 ? this.#kept.length : unsettled).map(({ context, stack }) => {
      if (context === undefined) return { ...stack, route: null }
      const route = routeOf(context.request)
      this.#onRoute(route, context.request)
      return { ...stack, route }
    })
  }
}

/**
 * The functions that answer a route, as stored by the framework: the observer gets their positions from V8, and finds their frames in profiles from
 * then on. Each route is read once.
 */
class Handlers {
  /** @type {Set<string>} */
  #seen = new Set()
  /** Not requested yet: a route, then its functions. @type {(string | Function)[]} */
  #fresh = []

  /** Number of routes not sent to the observer yet. */
  get freshCount () { return this.#fresh.length }

  /** @param {string} route @param {any} request  whose route is resolved */
  notice (route, request) {
    // The handler of GET answers HEAD as well: it is the same function under two route names.
    if (this.#seen.has(route) || this.#seen.size === MAX_ROUTES || request.method === 'HEAD' || isFinished(request)) return
    this.#seen.add(route)
    const functions = handlersOf(request).slice(-MAX_FUNCTIONS)
    if (functions.length > 0) this.#fresh.push(route, ...functions)
  }

  take () {
    const fresh = this.#fresh
    this.#fresh = []
    return fresh
  }

  /** Call it after an observer restart: the new one has received nothing. */
  forget () {
    this.#seen.clear()
    this.#fresh = []
  }
}

module.exports = { RequestNotes }
