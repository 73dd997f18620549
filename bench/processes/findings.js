'use strict'

// A process with a little work, observed; it asks itself what is wrong when it is told to.

const fs = require('node:fs')
const { performance } = require('node:perf_hooks')
const { createDiagnostics } = require('../..')
const { cpuMeter } = require('../harness/cpu-meter')
const { serveAnswers } = require('../harness/answers')

const WORK_EVERY_MS = 50
const WORK_MS = 5

const diagnostics = createDiagnostics().start()
const meter = cpuMeter()

/** @type {NodeJS.Timeout | undefined} */
let timer

function work () {
  const endMs = performance.now() + WORK_MS
  while (performance.now() < endMs) JSON.stringify(process.versions)
}

serveAnswers(null, {
  work: isOn => {
    clearInterval(timer)
    timer = isOn ? setInterval(work, WORK_EVERY_MS) : undefined
  },
  begin: meter.begin,
  cpuPercent: meter.cpuPercent,
  /** What one answer takes: of all threads, and of the main thread. */
  question: async () => {
    meter.begin()
    const beforeMs = mainThreadMs()
    await diagnostics.findings()
    return { cpuMs: meter.cpuMicros() / 1e3, mainMs: mainThreadMs() - beforeMs }
  }
})

/** CPU time; process.threadCpuUsage() is not in Node.js 20. */
function mainThreadMs () {
  return Number(fs.readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
}
