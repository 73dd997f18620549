'use strict'

// How long worker threads have been at work since start, and their stalls, by the name of the thread: what metrics are read from. The observer
// counts; here it is added up, so that no counter falls when the observer is lost.

/**
 * @typedef {object} ThreadTimes
 * @property {string} kind  the name that threads were given, else their file
 * @property {number} busyMs
 * @property {number} stalls
 */

const MAX_KINDS = 20 // some programs number the names of their threads
const OTHERS = '_other'

function createThreadTotals () {
  /** @type {Map<string, ThreadTimes>} */
  const totals = new Map()

  /** @param {ThreadTimes[]} rows */
  function add (rows) {
    for (const { kind: name, busyMs, stalls } of rows) {
      const kind = totals.has(name) || totals.size < MAX_KINDS ? name : OTHERS
      const known = totals.get(kind) ?? { kind, busyMs: 0, stalls: 0 }
      totals.set(kind, { kind, busyMs: known.busyMs + busyMs, stalls: known.stalls + stalls })
    }
  }

  return { add, totals: () => [...totals.values()] }
}

module.exports = { createThreadTotals }
