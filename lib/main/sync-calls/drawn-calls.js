'use strict'

// Calls whose stacks were captured and are still to be read. Between other work the code that reads a stack is cold: one takes 10 to 40 us,
// many in a row take 3 each. So they wait for each other; whoever wants to know what was drawn says settle(), once a second at least.

const { placesOf } = require('./call-site')

/** @import { CapturedStack } from '../../shared/base/call-sites' */
/** @import { SiteTable } from './site-table' */
/** @import { Target } from './targets' */

const BATCH = 32 // 0.1 ms of reading

/**
 * @typedef {object} DrawnCall
 * @property {SiteTable} table  that it is to be added to
 * @property {Target} target
 * @property {CapturedStack | null} stack
 * @property {number} weight    for how many calls it stands
 * @property {number} ms
 * @property {string | null} route
 */

class DrawnCalls {
  /** @type {DrawnCall[]} */
  #calls = []

  /** @param {DrawnCall} call */
  add (call) {
    this.#calls.push(call)
    if (this.#calls.length === BATCH) this.settle()
  }

  /** Reads the stacks, and adds the calls to their tables. */
  settle () {
    if (this.#calls.length === 0) return
    const calls = this.#calls
    this.#calls = []
    const places = placesOf(calls.map(({ stack }) => stack))
    for (const [index, { table, target, weight, ms, route }] of calls.entries()) {
      const place = places[index]
      if (place !== null) table.add(target, place, weight, ms, route)
    }
  }
}

module.exports = { DrawnCalls }
