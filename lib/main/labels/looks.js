'use strict'

// What the observer's looks found: the request that the interrupted code worked for, and its stack. They are kept until the router must
// have found the route. It runs in the middle of the application's work, and does no more than to note.

const { monotonicMicros } = require('../../shared/base/monotonic')
const { routeOf } = require('../http/route-template')

/** @import { RequestContext } from '../http/contexts/one-request' */
/** @import { BlockedStack } from '../stalls/blocked-stack' */

// Routers await as well: what answers is found when middleware is done.
const RIPE_MICROS = 1e6
const MAX_KEPT = 200

/**
 * @typedef {object} Look
 * @property {number} atMicros
 * @property {string | null} route  null outside requests
 * @property {string} calls         the stack, as in BlockedStack
 */

/**
 * @param {object} parts
 * @param {(route: string, request: any) => void} parts.onRoute  a request was seen at work, and its route is known
 */
function createLooks (parts) {
  return new Looks(parts)
}

class Looks {
  #parts
  /** Oldest first. @type {{ context: RequestContext | undefined, stack: BlockedStack }[]} */
  #kept = []

  /** @param {Parameters<typeof createLooks>[0]} parts */
  constructor (parts) {
    this.#parts = parts
  }

  /**
   * @param {RequestContext | undefined} context  of the code that is interrupted now
   * @param {BlockedStack} stack
   */
  note (context, stack) {
    if (this.#kept.length < MAX_KEPT) this.#kept.push({ context, stack })
  }

  /** @returns {Look[]} */
  take (micros = monotonicMicros()) {
    const unripe = this.#kept.findIndex(({ stack }) => stack.atMicros > micros - RIPE_MICROS)
    return this.#kept.splice(0, unripe === -1 ? this.#kept.length : unripe).map(({ context, stack }) => {
      if (context === undefined) return { ...stack, route: null }
      const route = routeOf(context.request)
      this.#parts.onRoute(route, context.request)
      return { ...stack, route }
    })
  }
}

module.exports = { createLooks }
