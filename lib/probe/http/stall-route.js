'use strict'

// Finds the request that blocked the main thread, its route and its trace: by an interrupt in the middle of the stall, or, when the stall was over
// before the interrupt came, the one whose handler ran longest in that time.

const { activeSpan } = require('../open-telemetry')
const { spansOf, traceOf } = require('../trace-of')
const { isFinished, routeOf } = require('./route-template')

/** @import { Subject } from '../../shared/stalls/stall' */
/** @import { Span } from '../open-telemetry' */
/** @import { RequestContext } from './contexts/one-request' */
/** @import { RouteContext } from './contexts/route-context' */

/**
 * @typedef {object} Stuck  the work that blocked the main thread
 * @property {() => boolean} isAnswered  true also without a request; before that the router may not have found the route
 * @property {() => Subject} subject
 * @property {Span[]} spans  of OpenTelemetry, innermost first
 */

class StallRoute {
  #context
  /**
   * What interrupts of the last stall saw. lead: how often a request, minus how often none
   * @type {{ tickMicros: number, lead: number, found: RequestContext | undefined, span: Span | null } | undefined}
   */
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
   */
  note (tickMicros) {
    const seen = { found: this.#context.current(), span: activeSpan() }
    const noted = this.#noted?.tickMicros === tickMicros ? this.#noted : { tickMicros, lead: 0, ...seen }
    noted.lead += seen.found === undefined ? -1 : 1
    this.#noted = noted.found === undefined && seen.found !== undefined ? { ...noted, ...seen } : noted
  }

  /**
   * @param {{ fromMicros: number, toMicros: number }} tick  the late tick
   * @param {(SlowRequest | null)[]} slowest  one of each handle, up to this tick
   * @returns {Stuck}
   */
  of ({ fromMicros, toMicros }, slowest) {
    const seen = this.#noted?.tickMicros === fromMicros ? this.#noted : undefined
    this.#noted = undefined
    const during = slowest.find(one => one !== null && one.toMicros > fromMicros && one.fromMicros < toMicros)
    const context = foundIn(seen, during, toMicros - fromMicros)
    const span = seen !== undefined && seen.found === context ? seen.span : null
    return {
      isAnswered: () => context === undefined || isFinished(context.request),
      subject: () => ({ route: context === undefined ? null : routeOf(context.request), trace: traceOf(context?.request, span) }),
      spans: spansOf(context?.request, span)
    }
  }
}

/**
 * A timer can hold the loop while requests wait, which are then handled in the same turn: it is not theirs.
 * @param {{ lead: number, found: RequestContext | undefined } | undefined} seen  by interrupts
 * @param {SlowRequest | null | undefined} during
 * @param {number} micros  of the stall
 */
function foundIn (seen, during, micros) {
  if (seen?.found !== undefined && seen.lead >= 0) return seen.found
  const isMost = during && during.toMicros - during.fromMicros >= micros / 2
  return seen === undefined || isMost ? during?.context : undefined
}

/**
 * @typedef {object} SlowRequest
 * @property {RequestContext} context
 * @property {number} fromMicros
 * @property {number} toMicros
 */

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
