'use strict'

// Measures this thread's CPU time for the observer, where the system does not let the observer read it (macOS, Windows, no /proc) and Node.js
// provides it (not Node 20).

const { monotonicMicros } = require('../../base/monotonic')
const { threadPidHere } = require('../../base/system/process-ids')
const { hasSchedstat } = require('../../base/system/schedstat')

const PERIOD_MICROS = 400e3

/**
 * @param {object} parts
 * @param {{ noteCpu (micros: number, cpuMicros: number): void }} parts.state
 * @param {boolean} [parts.isReadable]  whether the observer can read it itself
 * @param {(() => { user: number, system: number }) | null} [parts.cpuUsage]
 */
function createNotedCpu ({ state, isReadable = hasSchedstat(threadPidHere()), cpuUsage = process.threadCpuUsage ?? null }) {
  let dueMicros = 0
  let lastMicros = 0
  return {
    /**
     * Call it with each tick of the heartbeat.
     * @returns {number | null} the milliseconds used since the last call; null: the observer reads them, or nobody can
     */
    take () {
      if (isReadable || cpuUsage === null) return null
      const { user, system } = cpuUsage.call(process)
      const micros = monotonicMicros()
      const usedMs = (user + system - lastMicros) / 1e3
      lastMicros = user + system
      if (micros >= dueMicros) {
        dueMicros = micros + PERIOD_MICROS
        state.noteCpu(micros, lastMicros)
      }
      return usedMs
    }
  }
}

module.exports = { createNotedCpu }
