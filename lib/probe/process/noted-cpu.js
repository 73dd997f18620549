'use strict'

// Notes the CPU time of this thread for the observer, where the system does not let that one read it (macOS, no /proc) and Node.js knows it
// (not Node 20).

const fs = require('node:fs')
const { monotonicMicros } = require('../../base/monotonic')
const { threadPidHere } = require('../../base/system/process-ids')

const PERIOD_MICROS = 400e3

/**
 * @param {object} parts
 * @param {{ noteCpu (micros: number, cpuMicros: number): void }} parts.state
 * @param {boolean} [parts.isReadable]  whether the observer reads it by itself
 * @param {(() => { user: number, system: number }) | null} [parts.cpuUsage]
 */
function createNotedCpu ({ state, isReadable = fs.existsSync(`/proc/self/task/${threadPidHere()}/schedstat`), cpuUsage = process.threadCpuUsage ?? null }) {
  let dueMicros = 0
  return {
    /** To be called with each tick of the heartbeat. */
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
