'use strict'

// Which request the main thread was stuck with: seen by an interrupt in the middle of the stall, or, when the stall was over
// before the interrupt came, the one whose handler ran longest in that time.

const { routeOf } = require('./route-template')

/** @import { RequestContext, RouteContextPart } from './route-context' */
/** @import { SlowRequest } from './slowest-request' */

/** @param {{ context: Pick<RouteContextPart, 'current'> }} parts */
function createStallRoute ({ context }) {
  return new StallRoute(context)
}

class StallRoute {
  #context
  /** What was noted last. @type {{ tickMicros: number, found: RequestContext } | undefined} */
  #noted

  /** @param {Pick<RouteContextPart, 'current'>} context */
  constructor (context) {
    this.#context = context
  }

  /** Of the code that runs now; null outside requests. */
  now () {
    const current = this.#context.current()
    return current === undefined ? null : routeOf(current.request)
  }

  /**
   * To be called in the middle of a stall.
   * @param {number} tickMicros  the heartbeat's last tick before it
   */
  note (tickMicros) {
    const found = this.#context.current()
    if (found !== undefined && this.#noted?.tickMicros !== tickMicros) this.#noted = { tickMicros, found }
  }

  /**
   * @param {{ fromMicros: number, toMicros: number }} tick  that was late
   * @param {(SlowRequest | null)[]} slowest  of each handle, up to this tick
   * @returns {() => string | null} the route, to be asked as late as possible: the router may still be on its way
   */
  of ({ fromMicros, toMicros }, slowest) {
    const seen = this.#noted?.tickMicros === fromMicros ? this.#noted.found : undefined
    this.#noted = undefined
    const during = slowest.find(one => one !== null && one.toMicros > fromMicros && one.fromMicros < toMicros)
    const found = seen ?? during?.context
    return () => found === undefined ? null : routeOf(found.request)
  }
}

module.exports = { createStallRoute }
