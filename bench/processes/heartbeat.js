'use strict'

// An observed process with the heartbeat that its argument names: it idles, or blocks its loop and compares notes.

const { setTimeout: sleep } = require('node:timers/promises')
const { serveAnswers } = require('../harness/answers')
const { cpuMeter } = require('../harness/cpu-meter')
const diagnostics = require('../..')

const MAX_REPORT_MS = 1000 // a stall is reported some 100 ms after it is over; what takes this long does not come
const MAX_PHASE_MS = 200 // longer than any period, so that the block begins anywhere between two ticks

const observed = diagnostics({ heartbeatMs: Number(process.argv[2]) })

/** @param {number} blockMs */
async function trial (blockMs) {
  await sleep(Math.random() * MAX_PHASE_MS)
  /** @type {Promise<number | null>} */
  const reported = Promise.race([
    new Promise(resolve => observed.once('stall', ({ durationMs }) => resolve(durationMs))),
    sleep(MAX_REPORT_MS, null)
  ])
  const startMs = performance.now()
  while (performance.now() - startMs < blockMs);
  const measuredMs = performance.now() - startMs
  return { blockMs: measuredMs, stallMs: await reported }
}

serveAnswers('ready', {
  ...cpuMeter(),
  async block (/** @type {{ trials: number, blockMs: number }} */ { trials, blockMs }) {
    const results = []
    while (results.length < trials) results.push(await trial(blockMs))
    return results
  }
})
