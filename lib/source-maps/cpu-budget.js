'use strict'

// Limits the CPU time of some work to a share of one CPU over a minute, of which a whole minute's share is available at first. Work that exceeds what
// is left delays everything after it.

const { monotonicMs } = require('../base/monotonic')

const PERIOD_MS = 60_000

/**
 * @param {object} options
 * @param {number} options.share  of one processor
 * @param {() => number} [options.now]
 */
function createCpuBudget ({ share, now = monotonicMs }) {
  const maxMs = PERIOD_MS * share
  let leftMs = maxMs
  let atMs = now()
  let takenMs = 0

  function refill () {
    const nowMs = now()
    leftMs = Math.min(maxMs, leftMs + (nowMs - atMs) * share)
    atMs = nowMs
    return leftMs
  }

  return {
    /** Whether something may begin. */
    get isOpen () { return refill() > 0 },
    /** Since the start. */
    get takenMs () { return takenMs },
    /** @param {number} ms  that it took */
    take (ms) {
      leftMs = refill() - ms
      takenMs += ms
    }
  }
}

module.exports = { createCpuBudget }
