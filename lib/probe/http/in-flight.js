'use strict'

// The requests and jobs under way, oldest first. The contexts themselves are the list, so that a request costs a few assignments more: it is added
// when its context is made, and removed with what its context holds (response-ends.js).

const { monotonicMicros } = require('../../base/monotonic')
const { traceOf } = require('../trace-of')
const { finishRequest } = require('./response-ends')
const { methodOf, namedRoute, routeInFlight, routeOf } = require('./route-template')

/** @import { ServerResponse } from 'node:http' */
/** @import { DependencyCalls, OpenCall } from '../waits/dependency-calls' */
/** @import { RequestContext } from './contexts/one-request' */

/**
 * @typedef {{ address: string, port: number, localPort: number }} Peer  the client's end of a connection, and the server's port
 *
 * @typedef {object} ReadRequest  as it is when it is read
 * @property {string | null} route  null: not known yet
 * @property {string} method        'job' for a job
 * @property {number} fromMicros    when it may have arrived
 * @property {number | null} goneMicros  when its client closed the connection
 * @property {boolean} isRunning    the running code works for it
 * @property {boolean} isSending    a part of the response was sent
 * @property {boolean} isReceiving  a part of the request has not arrived
 * @property {OpenCall[]} waits
 * @property {string | null} traceId
 * @property {Peer | null} peer     where the loop is late, which therefore does not notice that a client is gone
 *
 * @typedef {object} InFlightReading
 * @property {number} atMicros
 * @property {number} total      all, also those that are not in the list
 * @property {number} upgraded   open connections that were upgraded (WebSockets)
 * @property {string | null} running  the route of the interrupted code, where it has one
 * @property {ReadRequest[]} requests  the oldest, and the one that runs
 */

/** @typedef {{ response: WeakRef<ServerResponse>, route: string, method: string, fromMicros: number, goneMicros: number }} Abandoned */

const MAX_READ = 100
// Of unanswered requests whose client is gone, while their handler may still work: the oldest ones.
const MAX_ABANDONED = 100
// A job whose promise never settles stays in the list: these are its limit.
const MAX_JOBS = 10_000
// Where a connection is closed before a response of its pipeline was sent, nothing reports that it never will be.
const SWEEP_EVERY_MICROS = 10e6
const SWEPT = 1000

/** Contexts by age. */
class ContextList {
  /** @type {RequestContext | null} */
  #oldest = null
  /** @type {RequestContext | null} */
  #newest = null
  count = 0

  /** @param {RequestContext} context  newer than those before, and in no list */
  add (context) {
    context.listedIn = this
    context.older = this.#newest
    if (this.#newest === null) this.#oldest = context
    else this.#newest.newer = context
    this.#newest = context
    this.count++
  }

  /** @param {RequestContext} context  that is in this list */
  remove (context) {
    const { older, newer } = context
    if (older === null) this.#oldest = newer
    else older.newer = newer
    if (newer === null) this.#newest = older
    else newer.older = older
    context.listedIn = context.older = context.newer = null
    this.count--
  }

  /** @param {number} count */
  oldest (count) {
    /** @type {RequestContext[]} */
    const found = []
    for (let context = this.#oldest; context !== null && found.length < count; context = context.newer) found.push(context)
    return found
  }
}

class InFlight {
  requests = new ContextList()
  jobs = new ContextList()
  /** Connections that were upgraded. */
  upgraded = new ContextList()
  #sweptMicros = 0
  /** @type {Abandoned[]} */
  #abandoned = []

  /** @param {RequestContext} context */
  addJob (context) {
    if (this.jobs.count === MAX_JOBS) this.jobs.remove(this.jobs.oldest(1)[0])
    this.jobs.add(context)
  }

  /**
   * Call it when the connection of a request was closed before its handler ended the response. Nothing reports when the handler is done: until then
   * something holds the response.
   * @param {RequestContext} context  that was released just now
   * @param {ServerResponse} response
   */
  abandon (context, response) {
    this.#abandoned = this.#stillAbandoned()
    if (this.#abandoned.length === MAX_ABANDONED) return
    const { arrivedMicros: fromMicros, request } = context
    const route = routeOf(request)
    this.#abandoned.push({ response: new WeakRef(response), route, method: methodOf(request), fromMicros, goneMicros: monotonicMicros() })
  }

  #stillAbandoned () {
    return this.#abandoned.filter(({ response }) => response.deref()?.writableEnded === false)
  }

  /** Call it with each tick. @param {number} micros  now */
  sweep (micros) {
    if (micros - this.#sweptMicros < SWEEP_EVERY_MICROS) return
    this.#sweptMicros = micros
    for (const context of this.requests.oldest(SWEPT)) {
      if (context.response === null && context.request.socket?.destroyed === true) finishRequest(context, 0)
    }
  }

  /** @returns {number[]} when the oldest requests and jobs began */
  starts () {
    return [...this.requests.oldest(MAX_READ), ...this.jobs.oldest(MAX_READ)].map(({ startMicros }) => startMicros)
  }

  /**
   * It also works in an inspector interrupt in the middle of the user's code.
   * @param {object} parts
   * @param {RequestContext | undefined} [parts.current]  of the interrupted code
   * @param {Pick<DependencyCalls, 'openOf'>} parts.calls
   * @param {boolean} [parts.isLate]  the loop is late
   * @returns {InFlightReading}
   */
  read ({ current, calls, isLate = false }) {
    this.#abandoned = this.#stillAbandoned()
    const read = (/** @type {RequestContext} */ context) => {
      try {
        return [readRequest(context, { isRunning: context === current, isLate, calls })]
      } catch {
        return [] // a request is an object of the application's libraries as well
      }
    }
    const gone = this.#abandoned.map(({ response, ...rest }) => {
      return { ...rest, isRunning: false, isSending: response.deref()?.headersSent === true, isReceiving: false, waits: [], traceId: null, peer: null }
    })
    const requests = [...this.requests.oldest(MAX_READ), ...this.jobs.oldest(MAX_READ)]
      .sort((left, right) => left.arrivedMicros - right.arrivedMicros).slice(0, MAX_READ).flatMap(read)
      .concat(gone).sort((left, right) => left.fromMicros - right.fromMicros).slice(0, MAX_READ)
    const isRead = requests.some(({ isRunning }) => isRunning)
    if (!isRead && current !== undefined && current.listedIn !== null) requests.push(...read(current))
    return {
      atMicros: monotonicMicros(),
      total: this.requests.count + this.jobs.count + this.#abandoned.length,
      upgraded: this.upgraded.count,
      running: current === undefined ? null : routeInFlight(current.request),
      requests
    }
  }
}

/**
 * @param {RequestContext} context
 * @param {{ isRunning: boolean, isLate: boolean, calls: Pick<DependencyCalls, 'openOf'> }} known
 * @returns {ReadRequest}
 */
function readRequest (context, { isRunning, isLate, calls }) {
  const { request, response, arrivedMicros } = context
  /** @type {any} */
  const { stream } = request
  return {
    route: routeInFlight(request),
    method: namedRoute(request) !== undefined ? 'job' : methodOf(context),
    fromMicros: arrivedMicros,
    goneMicros: null,
    isRunning,
    isSending: (response ?? stream)?.headersSent === true,
    isReceiving: isReceiving(request),
    waits: calls.openOf(context),
    traceId: traceOf(request)?.traceId ?? null,
    peer: isLate && response !== null ? peerOf(context.socket) : null
  }
}

/**
 * @param {any} request  an IncomingMessage, that of HTTP/2, or that of a job
 * @returns {boolean} whether all that has arrived of it was read, and it is not the whole
 */
function isReceiving ({ complete, destroyed, httpVersionMajor, readableLength, stream, upgrade }) {
  if (httpVersionMajor === 1) return complete === false && destroyed === false && readableLength === 0 && upgrade !== true
  return stream?.readableLength === 0 && stream.state?.remoteClose === 0
}

/**
 * @param {import('node:net').Socket | null} socket
 * @returns {Peer | null} null: not TCP; without an address if the system has closed the connection
 */
function peerOf (socket) {
  const { remoteAddress: address = '', remotePort: port = 0, localPort } = socket ?? {}
  return localPort === undefined ? null : { address, port, localPort }
}

module.exports = { InFlight, isReceiving }
