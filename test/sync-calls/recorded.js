'use strict'

// What a real CPU profile says about a piece of work: its synchronous calls, heaviest first.

const { Session } = require('node:inspector')
const { inOrder } = require('../../lib/observer/recorder/window')
const { findSampledCalls } = require('../../lib/observer/sync-calls/sampled-calls')

const INTERVAL_MICROS = 500
const MAX_ATTEMPTS = 20 // a call that is short has to be met by a sample

function profile (work) {
  const session = new Session()
  session.connect()
  const post = (method, parameters) => {
    let answer
    session.post(method, parameters, (error, result) => { answer = error ?? result })
    return answer
  }
  post('Profiler.enable')
  post('Profiler.setSamplingInterval', { interval: INTERVAL_MICROS })
  post('Profiler.start')
  work()
  const { profile } = post('Profiler.stop')
  session.disconnect()
  return inOrder(profile)
}

/** @returns {import('../../lib/observer/sync-calls/sampled-calls').SampledCall[]} */
function record (work) {
  return findSampledCalls(profile(work)).calls.sort((left, right) => right.micros - left.micros)
}

/** The heaviest call of work that is repeated until a sample has met one. */
function heaviestOf (work) {
  for (let attempt = 1; ; attempt++) {
    const [call] = record(work)
    if (call !== undefined || attempt === MAX_ATTEMPTS) return call
  }
}

module.exports = { heaviestOf }
