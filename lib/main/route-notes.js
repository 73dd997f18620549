'use strict'

// Notes on whose code ran when, for the labels of samples: the work of requests, what looks found and the handlers of routes. The observer gets
// them with each window.

const { monotonicMicros } = require('../shared/base/monotonic')
const { readBlockedStack } = require('./blocked-stack')
const { handlersOf, isFinished, routeOf } = require('./http/route-template')

/** @import { Tell } from '../bridge/channel' */
/** @import { BlockedStack } from './blocked-stack' */
/** @import { RequestContext } from './http/contexts/one-request' */
/** @import { RouteContext } from './http/contexts/route-context' */
/** @import { Work } from './http/middleware' */

// Routers await as well: what answers is found when middleware is done.
const RIPE_MICROS = 1e6
const MAX_LOOKS = 200

// Routes are few; what is masked may be many.
const MAX_ROUTES = 500
const MAX_FUNCTIONS = 4 // of a route: middleware of its own comes first, the handler last

/**
 * @typedef {object} Look
 * @property {number} atMicros
 * @property {string | null} route  null outside requests
 * @property {string} calls         the stack, as in BlockedStack
 */

/**
 * @typedef {object} Notes
 * @property {number} toMicros  up to when they tell everything
 * @property {Work[]} work      whose synchronous code ran when
 * @property {Look[]} looks
 * @property {boolean} hasHandlers  functions of new routes can be asked for
 * @property {number | null} slowFromMicros  slow requests since then are to be explained; null: none are
 */

/**
 * @param {object} parts
 * @param {Pick<RouteContext, 'current'>} parts.context
 * @param {() => Work[]} parts.takeWork
 * @param {{ noteSeen (context: RequestContext, micros: number): void, wantedMicros: number | null }} parts.slowRequests
 * @param {Tell} parts.tell  the observer
 */
function createRouteNotes ({ context, takeWork, slowRequests, tell }) {
  const handlers = new Handlers()
  const looks = new Looks((route, request) => handlers.notice(route, request))
  return {
    /** To be called in the middle of whatever runs. */
    look () {
      const stack = readBlockedStack()
      const current = context.current()
      looks.note(current, stack)
      if (current !== undefined) slowRequests.noteSeen(current, stack.atMicros)
      return stack
    },
    noticeRoute: (/** @type {string} */ route, /** @type {any} */ request) => handlers.notice(route, request),
    /** Called by the observer: it cannot be told what is no data. */
    takeHandlers: () => handlers.take(),
    /** Of the window that has just ended. */
    tell () {
      const notes = { work: takeWork(), looks: looks.take(), hasHandlers: handlers.freshCount > 0, slowFromMicros: slowRequests.wantedMicros }
      tell('routeNotes', { notes: { toMicros: monotonicMicros(), ...notes } })
    },
    forgetHandlers: () => handlers.forget()
  }
}

/**
 * What the observer's looks found: the request that the interrupted code worked for, and its stack. They are kept until the router must have
 * found the route. It runs in the middle of the application's work, and does no more than to note.
 */
class Looks {
  #onRoute
  /** Oldest first. @type {{ context: RequestContext | undefined, stack: BlockedStack }[]} */
  #kept = []

  /** @param {(route: string, request: any) => void} onRoute  a request was seen at work, and its route is known */
  constructor (onRoute) {
    this.#onRoute = onRoute
  }

  /**
   * @param {RequestContext | undefined} context  of the code that is interrupted now
   * @param {BlockedStack} stack
   */
  note (context, stack) {
    if (this.#kept.length < MAX_LOOKS) this.#kept.push({ context, stack })
  }

  /** @returns {Look[]} */
  take (micros = monotonicMicros()) {
    const unripe = this.#kept.findIndex(({ stack }) => stack.atMicros > micros - RIPE_MICROS)
    return this.#kept.splice(0, unripe === -1 ? this.#kept.length : unripe).map(({ context, stack }) => {
      if (context === undefined) return { ...stack, route: null }
      const route = routeOf(context.request)
      this.#onRoute(route, context.request)
      return { ...stack, route }
    })
  }
}

/**
 * The functions that answer a route, as the framework keeps them: the observer asks V8 where they begin, and finds their frames in profiles
 * from then on. Each route is read once.
 */
class Handlers {
  /** @type {Set<string>} */
  #seen = new Set()
  /** Not asked for yet: a route, then its functions. @type {(string | Function)[]} */
  #fresh = []

  /** How many routes the observer has not heard of. */
  get freshCount () { return this.#fresh.length }

  /**
   * @param {string} route
   * @param {any} request  of which the route is known
   */
  notice (route, request) {
    // The handler of GET answers HEAD as well, and is of two routes only in name.
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

  /** There is an observer that knows nothing. */
  forget () {
    this.#seen.clear()
    this.#fresh = []
  }
}

module.exports = { createRouteNotes }
