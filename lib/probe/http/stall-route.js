'use strict'

// Finds the request that blocked the main thread, its route and its trace: by interrupts in the middle of the stall, or, when the stall was over
// before an interrupt came, the one whose handler ran longest in that time.

const { monotonicMicros } = require('../../base/monotonic')
const { sumBy } = require('../../base/sums')
const { activeSpan } = require('../open-telemetry')
const { spansOf, traceOf } = require('../trace-of')
const { UNMATCHED, isFinished, routeInFlight, routeOf } = require('./route-template')

/** @import { Subject } from '../../shared/stalls/stall' */
/** @import { Span } from '../open-telemetry' */
/** @import { RequestContext } from './contexts/one-request' */
/** @import { RouteContext } from './contexts/route-context' */

/**
 * @typedef {object} Stuck  the work that blocked the main thread
 * @property {() => boolean} isAnswered  true also without a request; before that the router may not have found the route
 * @property {() => Subject} subject
 * @property {() => Span[]} spans  of OpenTelemetry, innermost first
 */

/**
 * @typedef {object} Seen  what an interrupt saw
 * @property {number} atMicros
 * @property {RequestContext | undefined} context  undefined: no request
 * @property {Span | null} span
 */

// More than the observer asks for in one stall.
const MAX_SEEN = 50

class StallRoute {
  #context
  /** What interrupts of the last stall saw, oldest first. @type {{ tickMicros: number, seen: Seen[] } | undefined} */
  #noted

  /** @param {Pick<RouteContext, 'current'>} context */
  constructor (context) {
    this.#context = context
  }

  /** Route of the code that runs now; null outside requests. */
  now () {
    const current = this.#context.current()
    return current === undefined ? null : routeOf(current.request)
  }

  /** Trace of the code that runs now, which there may be outside requests. */
  traceNow () {
    return traceOf(this.#context.current()?.request, activeSpan())
  }

  /**
   * Call it in the middle of a stall.
   * @param {number} tickMicros  the heartbeat's last tick before it
   * @param {number} [atMicros]  now
   */
  note (tickMicros, atMicros = monotonicMicros()) {
    if (this.#noted?.tickMicros !== tickMicros) this.#noted = { tickMicros, seen: [] }
    if (this.#noted.seen.length < MAX_SEEN) this.#noted.seen.push({ atMicros, context: this.#context.current(), span: activeSpan() })
  }

  /**
   * @param {{ fromMicros: number, toMicros: number }} tick  the late tick
   * @param {(SlowRequest | null)[]} slowest  one of each handle, up to this tick
   * @returns {Stuck}
   */
  of ({ fromMicros, toMicros }, slowest) {
    const seen = this.#noted?.tickMicros === fromMicros ? this.#noted.seen : []
    this.#noted = undefined
    const during = slowest.find(one => one !== null && one.toMicros > fromMicros && one.fromMicros < toMicros)
    const isMost = during && during.toMicros - during.fromMicros >= (toMicros - fromMicros) / 2
    const slow = { context: seen.length === 0 || isMost ? during?.context : undefined, span: null }
    const worked = () => mostSeen(seen, { fromMicros, toMicros }) ?? slow
    return {
      isAnswered: () => {
        const { context } = worked()
        return context === undefined || isFinished(context.request)
      },
      subject: () => {
        const { context, span } = worked()
        return { route: context === undefined ? null : routeOf(context.request), trace: traceOf(context?.request, span) }
      },
      spans: () => {
        const { context, span } = worked()
        return spansOf(context?.request, span)
      }
    }
  }
}

/**
 * One turn of the loop handles several requests, and interrupts are frequent at its beginning and rare later: each of them stands for the time since
 * the one before, and the route with most time is the stall's. A timer can hold the loop while requests wait, which are then handled in the same
 * turn: it is not theirs.
 * @param {readonly Seen[]} seen
 * @param {{ fromMicros: number, toMicros: number }} tick
 * @returns {Seen | null} the first of that route; null: no request for most of the time
 */
function mostSeen (seen, { fromMicros, toMicros }) {
  const inTurn = seen.map((one, index) => ({
    one,
    route: one.context === undefined ? null : routeInFlight(one.context.request) ?? UNMATCHED, // registers no name
    micros: (index === seen.length - 1 ? toMicros : one.atMicros) - (index === 0 ? fromMicros : seen[index - 1].atMicros)
  }))
  const [most] = [...sumBy(inTurn, ({ route }) => route, ({ micros }) => micros)].sort(([, left], [, right]) => right - left)
  return most === undefined || most[0] === null ? null : inTurn.find(({ route }) => route === most[0])?.one ?? null
}

/** @typedef {{ context: RequestContext, fromMicros: number, toMicros: number }} SlowRequest */

/**
 * The request with the longest synchronous part since the last take(). It provides the route of a stall that was over before the running code could
 * be probed. It uses nothing of stalls but their threshold.
 */
class SlowestRequest {
  #minMicros
  #longestMicros
  /** @type {SlowRequest | null} */
  #slowest = null

  /** @param {number} stallThresholdMs */
  constructor (stallThresholdMs) {
    // A stall is never attributed to less than half of its threshold.
    this.#minMicros = stallThresholdMs * 1e3 / 2
    this.#longestMicros = this.#minMicros
  }

  /** @param {RequestContext} context @param {number} fromMicros @param {number} toMicros */
  note (context, fromMicros, toMicros) {
    if (toMicros - fromMicros < this.#longestMicros) return
    this.#longestMicros = toMicros - fromMicros
    this.#slowest = { context, fromMicros, toMicros }
  }

  /**
   * Call it on every tick of the heartbeat: the result then belongs to the turn of the loop that just ended.
   * @returns {SlowRequest | null}
   */
  take () {
    const slowest = this.#slowest
    this.#slowest = null
    this.#longestMicros = this.#minMicros
    return slowest
  }
}

module.exports = { SlowestRequest, StallRoute }
