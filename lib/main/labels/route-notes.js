'use strict'

// What the main thread knows about whose code ran when, for the labels of samples, wired: it is noted here, and told to the observer with
// each window.

const { monotonicMicros } = require('../../shared/base/monotonic')
const { readBlockedStack } = require('../stalls/blocked-stack')
const { createHandlers } = require('./handlers')
const { createLooks } = require('./looks')

/** @import { Tell } from '../../bridge/channel' */
/** @import { RequestContext } from '../http/contexts/one-request' */
/** @import { RouteContext } from '../http/contexts/route-context' */
/** @import { Work } from '../http/middleware' */
/** @import { Look } from './looks' */

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
  const handlers = createHandlers()
  const looks = createLooks({ onRoute: (route, request) => handlers.notice(route, request) })
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

module.exports = { createRouteNotes }
