'use strict'

// The thread that reads source maps: answers one question after the other, with the processor time that each took, until it is ended.

const fs = require('node:fs')
const { performance } = require('node:perf_hooks')
const { parentPort } = require('node:worker_threads')
const { guarded } = require('../../shared/base/guard')
const { threadPidHere } = require('../../shared/system/process-ids')
const { MapReader } = require('./answer')

const NS_PER_MS = 1e6

const reader = new MapReader()
const threadPid = threadPidHere()
let toldMs = 0

parentPort?.on('message', guarded(question => {
  const answers = reader.answer(question)
  const cpuMs = readThreadCpuMs()
  parentPort?.postMessage({ answers, kept: reader.kept, cpuMs: cpuMs - toldMs, threadPid })
  toldMs = cpuMs
}))

/**
 * The processor time of this thread in milliseconds since it began. Where neither Node.js nor the system tells: the time in which its event loop was
 * at work.
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
