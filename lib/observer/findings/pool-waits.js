'use strict'

// The probes of libuv's pool that had to wait, of the last minute: noted as they come, which is once a second at most, and read when
// somebody asks.

const { monotonicMs } = require('../../shared/base/monotonic')

const KEPT = 60

/** @param {{ onQueued?: (waitedMs: number) => void, now?: () => number }} [parts]  onQueued: who is told of each as well */
function createPoolWaits ({ onQueued = () => {}, now = monotonicMs } = {}) {
  /** @type {{ atMs: number, waitedMs: number }[]} */
  const waits = []
  return {
    /** @param {number} waitedMs */
    note (waitedMs) {
      waits.push({ atMs: now(), waitedMs })
      if (waits.length > KEPT) waits.shift()
      onQueued(waitedMs)
    },

    /** @param {number} lastMs  how far to look back */
    read (lastMs) {
      const fromMs = now() - lastMs
      const recent = waits.filter(({ atMs }) => atMs >= fromMs)
      return { queued: recent.length, maxWaitMs: Math.round(Math.max(0, ...recent.map(({ waitedMs }) => waitedMs))) }
    }
  }
}

module.exports = { createPoolWaits }
