'use strict'

// The processor time of the thread that asks, in milliseconds since it began. Where neither Node.js nor the system tells: the time in which
// its event loop was at work.

const fs = require('node:fs')
const { performance } = require('node:perf_hooks')

const NS_PER_MS = 1e6

function readThreadCpuMs () {
  const usage = process.threadCpuUsage?.() // which Node 20 lacks
  if (usage !== undefined) return (usage.user + usage.system) / 1e3
  try {
    return Number(fs.readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / NS_PER_MS
  } catch {
    return performance.eventLoopUtilization().active
  }
}

module.exports = { readThreadCpuMs }
