'use strict'

// The last stalls, and how many there have been of each cause. Totals are never reset; the list is bounded.

/** @import { Cause, Stall } from '../../types/diagnostics' */

const MAX_STALLS = 200

/** @type {readonly Cause[]} */
const CAUSES = Object.freeze(['code', 'gc', 'starved', 'suspended', 'unknown'])

function createStallLog () {
  return new StallLog()
}

class StallLog {
  /** @type {Stall[]} */
  #stalls = []
  #totals = new Map(CAUSES.map(cause => [cause, { cause, count: 0, seconds: 0 }]))

  /** @param {Stall} stall */
  add (stall) {
    this.#stalls.push(stall)
    if (this.#stalls.length > MAX_STALLS) this.#stalls.shift()
    const total = /** @type {{ count: number, seconds: number }} */ (this.#totals.get(stall.cause))
    total.count++
    total.seconds += stall.durationMs / 1e3
  }

  /** Newest first. */
  list () {
    return this.#stalls.toReversed()
  }

  totals () {
    return [...this.#totals.values()].map(total => ({ ...total }))
  }
}

/**
 * One line for a person.
 * @param {Stall} stall
 */
function describeStall ({ durationMs, cause, route, culprit }) {
  const what = `event loop stalled ${durationMs} ms`
  const where = route === null ? '' : ` in ${route}`
  if (culprit === null) return `${what}${where}: ${cause}`
  const call = culprit.call === null ? '' : `${culprit.call} called by `
  return `${what}${where}: ${call}${culprit.function} (${culprit.file}:${culprit.line}), cause ${cause}`
}

module.exports = { createStallLog, describeStall }
