'use strict'

// When somebody is told that nothing arrives: once an outage, and once when it is over.

const { monotonicMs } = require('../../../shared/base/monotonic')

const MIN_MS = 30_000 // a server that restarts is back by then

/** @import { EgressOutcome } from '../../../main/egress/egress-counts' */

/**
 * @param {object} parts
 * @param {(problem: string | null) => void} parts.onChange
 * @param {() => number} [parts.now]
 */
function createTrouble ({ onChange, now = monotonicMs }) {
  let sinceMs = Infinity
  let isTold = false

  return {
    /**
     * @param {EgressOutcome} outcome
     * @param {string | null} problem
     */
    note (outcome, problem) {
      if (outcome === 'sent') {
        sinceMs = Infinity
        if (isTold) onChange(null)
        isTold = false
        return
      }
      sinceMs = Math.min(sinceMs, now())
      // What is refused is refused next time too: the URL, or who asks, is wrong.
      if (isTold || (outcome !== 'refused' && now() - sinceMs < MIN_MS)) return
      isTold = true
      onChange(problem)
    }
  }
}

module.exports = { createTrouble }
