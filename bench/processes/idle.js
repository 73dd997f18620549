'use strict'

// A process that waits, observed in the way that its argument names.

const { Worker } = require('node:worker_threads')
const { serveAnswers } = require('../harness/answers')
const { cpuMeter } = require('../harness/cpu-meter')
const { startSampler, INTERVAL_MICROS } = require('../harness/sampler')

const TICK_MS = 100 // as often as the heart of an idle process beats
const LOOK_MS = 200 // as often as its observer looks

/** @type {Record<string, () => void>} */
const CASES = {
  off () {},
  on () { require('../..')() },
  'on, no recorder' () { require('../..')({ recorder: false }) },
  'on, engine inspector' () { require('../..')({ recorder: { engine: 'inspector' } }) },
  'on, no admin surface' () { require('../..')({ path: false, controlSocket: false }) },
  'on, a clock' () { require('../..')().clock.now() },
  'on, 10 samples a second' () { require('../..')({ recorder: { hz: 10 } }) },
  'V8\'s sampler alone' () { startSampler() },
  'V8\'s sampler + a watched timer' () {
    startSampler()
    startWatchedTimer()
  },
  'prom-client' () { startPromClient() },
  '@datadog/pprof' () { startDatadog() },
  'prom-client + @datadog/pprof' () {
    startPromClient()
    startDatadog()
  }
}

/** The least that learns of a stall while it lasts: a timer that says when it ran, and a thread that looks. */
function startWatchedTimer () {
  const ticks = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT))
  setInterval(() => { ticks[0] = process.hrtime.bigint() }, TICK_MS)
  new Worker(`
    const { ticks, lookMs } = require('node:worker_threads').workerData
    let lateNs = 0n
    setInterval(() => { lateNs = process.hrtime.bigint() - ticks[0] }, lookMs)`, { eval: true, workerData: { ticks, lookMs: LOOK_MS } }).unref()
}

function startPromClient () {
  require('prom-client').collectDefaultMetrics()
}

function startDatadog () {
  // CPU time is collected only together with contexts.
  require('@datadog/pprof').time.start({ intervalMicros: INTERVAL_MICROS, durationMillis: 60_000, withContexts: true, collectCpuTime: true })
}

CASES[process.argv[2]]()

serveAnswers('ready', cpuMeter())
