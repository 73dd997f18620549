'use strict'

// Writes this thread's CPU time for the observer, where the system does not let the observer read it (macOS, no /proc) and Node.js provides it (not
// Node 20).

const fs = require('node:fs')
const { monotonicMicros } = require('../../base/monotonic')
const { threadPidHere } = require('../../base/system/process-ids')

const PERIOD_MICROS = 400e3

/**
 * @param {object} parts
 * @param {{ noteCpu (micros: number, cpuMicros: number): void }} parts.state
 * @param {boolean} [parts.isReadable]  whether the observer can read it itself
 * @param {(() => { user: number, system: number }) | null} [parts.cpuUsage]
 */
function createNotedCpu ({ state, isReadable = fs.existsSync(`/proc/self/task/${threadPidHere()}/schedstat`), cpuUsage = process.threadCpuUsage ?? null }) {
  let dueMicros = 0
  return {
    /** Call it with each tick of the heartbeat. */
    tick () {
      if (isReadable || cpuUsage === null) return
      const micros = monotonicMicros()
      if (micros < dueMicros) return
      dueMicros = micros + PERIOD_MICROS
      const { user, system } = cpuUsage.call(process)
      state.noteCpu(micros, user + system)
    }
  }
}

module.exports = { createNotedCpu }
