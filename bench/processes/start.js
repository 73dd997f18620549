'use strict'

// One start of what its argument names, measured from inside and told as soon as it is over.

const { performance } = require('node:perf_hooks')
const { createRequire } = require('node:module')
const path = require('node:path')
const { setImmediate: nextTurn, setTimeout: sleep } = require('node:timers/promises')
const { serveAnswers } = require('../harness/answers')
const { firstWindow } = require('../harness/first-window')

const SETTLE_MS = 1000
const BYTES_PER_MEGABYTE = 1024 * 1024

// The copies that loopscope itself requires: the same files for both.
const requireOurs = createRequire(path.join(__dirname, '../../package.json'))

const USUAL = 'pino + prom-client'
const LOOPSCOPE = 'loopscope'
const SERVICE = `express + ${USUAL}`

/** What they return resolves when everything runs. @type {Record<string, () => unknown>} */
const CASES = {
  nothing () {},
  [USUAL] () {
    new (requireOurs('prom-client').Registry)() // eslint-disable-line no-new
    requireOurs('pino')({ name: 'start' })
  },
  [LOOPSCOPE] () {
    requireOurs('.')()
    return firstWindow()
  },
  [`${USUAL}, then ${LOOPSCOPE}`] () {
    CASES[USUAL]()
    return CASES[LOOPSCOPE]()
  },
  [`${USUAL}, then as many files of the same text, not run`] () {
    CASES[USUAL]()
    require(process.argv[3])
  },
  [SERVICE] () {
    require('express')()
    CASES[USUAL]()
  },
  [`${SERVICE}, then ${LOOPSCOPE}`] () {
    CASES[SERVICE]()
    return CASES[LOOPSCOPE]()
  },
  [`${USUAL}, then a thread that records`] () {
    CASES[USUAL]()
    return recordFromThread()
  }
}
CASES[`${USUAL}, once more`] = CASES[USUAL]

/** The least that records this thread from another one. */
function recordFromThread () {
  const { Worker } = require('node:worker_threads')
  const worker = new Worker(`
    const { Session } = require('node:inspector')
    const { parentPort } = require('node:worker_threads')
    const session = new Session()
    session.connectToMainThread()
    session.post('Profiler.enable')
    session.post('Profiler.setSamplingInterval', { interval: 10_000 })
    session.post('Profiler.start', () => parentPort.postMessage('recording'))
    setInterval(() => {}, 1e6)`, { eval: true })
  worker.unref()
  return new Promise(resolve => worker.once('message', resolve))
}

const CACHED = 'compile cache: '

/** @param {string} name */
async function main (name) {
  if (name.startsWith(CACHED)) /** @type {any} */ (require('node:module')).enableCompileCache(process.argv[4])
  const startMs = performance.now()
  const alive = setInterval(() => {}, SETTLE_MS) // what is observed does not keep its process running
  const running = CASES[name.replace(CACHED, '')]()
  const requiredMs = performance.now() - startMs
  await running
  await nextTurn()
  // What the loop did since, without waiting; the first turn of the loop began after the calls had returned.
  const occupiedMs = requiredMs + performance.eventLoopUtilization().active
  clearInterval(alive)
  await sleep(SETTLE_MS)
  serveAnswers({ requiredMs, occupiedMs, rssMegabytes: process.memoryUsage.rss() / BYTES_PER_MEGABYTE }, {})
}

main(process.argv[2])
