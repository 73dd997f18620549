'use strict'

// The thread that reads source maps: answers one question after the other, with the processor time that each took, until it is ended.

const { parentPort } = require('node:worker_threads')
const { guarded } = require('../../shared/base/guard')
const { readThreadCpuMs } = require('../../shared/system/thread-cpu')
const { threadPidHere } = require('../../shared/system/thread-pid')
const { MapReader } = require('./answer')

const reader = new MapReader()
const threadPid = threadPidHere()
let toldMs = 0

parentPort?.on('message', guarded(question => {
  const answers = reader.answer(question)
  const cpuMs = readThreadCpuMs()
  parentPort?.postMessage({ answers, kept: reader.kept, cpuMs: cpuMs - toldMs, threadPid })
  toldMs = cpuMs
}))
