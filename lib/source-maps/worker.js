'use strict'

// Worker thread that reads source maps: it answers one request after the other, with the CPU time that each took.

const fs = require('node:fs')
const { performance } = require('node:perf_hooks')
const { parentPort } = require('node:worker_threads')
const { guarded } = require('../base/guard')
const { threadPidHere } = require('../base/system/process-ids')
const { MapReader } = require('./answer')

const NS_PER_MS = 1e6

const reader = new MapReader()
const threadPid = threadPidHere()
let reportedMs = 0

parentPort?.on('message', guarded(question => {
  const answers = reader.answer(question)
  const cpuMs = readThreadCpuMs()
  parentPort?.postMessage({ answers, kept: reader.kept, cpuMs: cpuMs - reportedMs, threadPid })
  reportedMs = cpuMs
}))

/**
 * The CPU time of this thread in milliseconds since its start. If neither Node.js nor the system provides it: the time in which its event loop was
 * busy.
 */
function readThreadCpuMs () {
  const usage = process.threadCpuUsage?.() // which Node 20 lacks
  if (usage !== undefined) return (usage.user + usage.system) / 1e3
  try {
    return Number(fs.readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / NS_PER_MS
  } catch {
    return performance.eventLoopUtilization().active
  }
}
