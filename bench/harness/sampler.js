'use strict'

// The least that samples the main thread without an addon, at the rate of the recorder. Who does not start it is spared the inspector.

const INTERVAL_MICROS = 10_000

function startSampler () {
  const session = new (require('node:inspector').Session)()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.setSamplingInterval', { interval: INTERVAL_MICROS })
  session.post('Profiler.start')
}

module.exports = { startSampler, INTERVAL_MICROS }
