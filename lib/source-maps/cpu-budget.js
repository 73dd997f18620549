'use strict'

// When source maps that no caller waits for may be read: only for a share of one CPU, and not while the machine has no CPU time to spare, except after a
// long wait. Maps that were read before are kept, and cost little.

const { monotonicMs } = require('../base/monotonic')

const PERIOD_MS = 60_000
const SHARE = 0.02
const MAX_SHORTAGE_MS = 30_000

/**
 * @param {object} parts
 * @param {() => boolean} parts.isShort  whether the machine has no CPU time to spare
 * @param {(ms: number) => void} parts.onTaken  CPU time that reading maps has taken since the start
 */
function createSpareReading ({ isShort, onTaken }) {
  const budget = createCpuBudget({ share: SHARE })
  return {
    /** @param {{ isRead: boolean, waitedMs: number }} about */
    mayStart: ({ isRead, waitedMs }) => budget.isOpen && (isRead || waitedMs > MAX_SHORTAGE_MS || !isShort()),
    /** @param {number} ms */
    onCpu (ms) {
      budget.take(ms)
      onTaken(budget.takenMs)
    }
  }
}

/**
 * A share of one CPU over a minute, of which a whole minute's share is available at first. Work that exceeds what is left delays everything after it.
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

module.exports = { createCpuBudget, createSpareReading }
