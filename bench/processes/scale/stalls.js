'use strict'

// A process that stalls as often as it is told to.

const { readMemory } = require('../../harness/memory')
const { setTimeout: sleep } = require('node:timers/promises')
const { runInThisContext } = require('node:vm')
const { serveAnswers } = require('../../harness/answers')
const { firstWindow } = require('../../harness/first-window')

const THRESHOLD_MS = 20
const STALL_MS = 30
const PAUSE_MS = 15
const MANY = 100

const diagnostics = require('../../..').createDiagnostics({ stallThresholdMs: THRESHOLD_MS, heartbeatMs: 5, logger: require('pino')({ enabled: false }) })
let reported = 0
diagnostics.on('stall', () => reported++)
const recording = firstWindow() // where it begins in the midst of a stall that part is work of ours, and what is left may be below the threshold
diagnostics.start()

/** Many, so that culprits differ. @type {((endMs: number) => void)[]} */
const culprits = Array.from({ length: MANY }, (_, at) => runInThisContext(`(function culprit${at} (endMs) { while (performance.now() < endMs) JSON.stringify(process.versions) })`))

let made = 0
serveAnswers('ready', {
  /**
   * @param {number} count
   * @returns {Promise<number>} how many were reported
   */
  async stall (count) {
    await recording
    const before = reported
    for (let stall = 0; stall < count; stall++) {
      culprits[made++ % MANY](performance.now() + STALL_MS)
      await sleep(PAUSE_MS)
    }
    await sleep(2000) // the reports of the last ones
    return reported - before
  },
  memory: readMemory
})
