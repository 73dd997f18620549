'use strict'

// A pool of four worker threads, waiting or at work, watched or not, as its arguments say.

const { Worker } = require('node:worker_threads')
const { serveAnswers } = require('../harness/answers')
const { cpuMeter } = require('../harness/cpu-meter')

const THREADS = 4
const PERIOD_MS = 20

const TASK = `
function task () {
  let sum = 0
  for (let step = 0; step < 1e6; step++) sum += Math.sqrt(step)
  return sum
}
require('node:worker_threads').parentPort.on('message', task)`

const [, , load, kind] = process.argv
require('../..')({ threads: kind === 'watched' })

const pool = Array.from({ length: THREADS }, () => new Worker(TASK, { eval: true, name: 'pool' }))
let given = 0
if (load === 'at work') setInterval(() => pool[given++ % THREADS].postMessage('task'), PERIOD_MS)

serveAnswers('ready', cpuMeter())
