'use strict'

// A process that waits, observed in the way that its argument names.

const { serveAnswers } = require('../harness/answers')
const { cpuMeter } = require('../harness/cpu-meter')
const { startSampler, INTERVAL_MICROS } = require('../harness/sampler')

/** @type {Record<string, () => void>} */
const CASES = {
  off () {},
  on () { require('../..')() },
  'on, no recorder' () { require('../..')({ recorder: false }) },
  'on, no admin surface' () { require('../..')({ path: false, controlSocket: false }) },
  'on, a clock' () { require('../..')().clock.now() },
  'on, 10 samples a second' () { require('../..')({ recorder: { hz: 10 } }) },
  'V8\'s sampler alone' () { startSampler() },
  'prom-client' () { startPromClient() },
  '@datadog/pprof' () { startDatadog() },
  'prom-client + @datadog/pprof' () {
    startPromClient()
    startDatadog()
  }
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
