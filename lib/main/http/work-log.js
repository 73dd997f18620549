'use strict'

// When which request's synchronous code ran: what the samples of a profile are matched with to get their routes. It holds
// what ran since it was last taken, and only what is long enough for a sampler to see.

const { routeOf } = require('./route-template')

/** @import { RequestContext } from './contexts/one-request' */

const MIN_MICROS = 1000 // a tenth of the time between two samples
const MAX_ENTRIES = 5000 // a window of five seconds holds no more of a millisecond each

/** @typedef {{ fromMicros: number, toMicros: number, route: string }} Work */

/** @param {{ onWork?: (context: RequestContext, fromMicros: number, toMicros: number) => void }} [parts]  onWork: for whoever else wants them */
function createWorkLog ({ onWork = () => {} } = {}) {
  return new WorkLog(onWork)
}

class WorkLog {
  /** @type {{ context: RequestContext, fromMicros: number, toMicros: number }[]} */
  #entries = []
  #onWork

  /** @param {(context: RequestContext, fromMicros: number, toMicros: number) => void} onWork */
  constructor (onWork) {
    this.#onWork = onWork
  }

  /**
   * @param {RequestContext} context
   * @param {number} fromMicros
   * @param {number} toMicros
   */
  note (context, fromMicros, toMicros) {
    if (toMicros - fromMicros < MIN_MICROS) return
    this.#onWork(context, fromMicros, toMicros)
    if (this.#entries.length < MAX_ENTRIES) this.#entries.push({ context, fromMicros, toMicros })
  }

  /**
   * The routes are asked for now and not when the work was done: by then the router may not have known them.
   * @returns {Work[]} in order of time
   */
  take () {
    const entries = this.#entries
    this.#entries = []
    return entries.map(({ context, fromMicros, toMicros }) => ({ fromMicros, toMicros, route: routeOf(context.request) }))
  }
}

module.exports = { createWorkLog }
