'use strict'

// The clock of running diagnostics, which the observer renews.

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const { setTimeout: sleep } = require('node:timers/promises')
const { Worker } = require('node:worker_threads')
const diagnostics = require('../..')
const { untilAdvanced, untilKept } = require('./kept')

const { createClock, createDiagnostics } = diagnostics
const BLOCK_MS = 2000
const METRIC = /^loopscope_clock_staleness_max_seconds /m

/** @param {import('node:test').TestContext} t */
function start (t) {
  const handle = createDiagnostics({ recorder: false, signals: false, logger: { info () {}, warn () {}, error () {} } }).start()
  const keepAlive = setInterval(() => {}, 1000)
  t.after(() => {
    clearInterval(keepAlive)
    return handle.close()
  })
  return handle
}

/** Tells, each time it is asked, how many times it saw since it was asked before. */
const WATCHER = `
const { parentPort, workerData } = require('node:worker_threads')
const clock = require(workerData.loopscope).createClock({ buffer: workerData.buffer })
let seen = new Set()
setInterval(() => seen.add(clock.now()), 5)
parentPort.on('message', () => { parentPort.postMessage(seen.size); seen = new Set() })`

async function startWatcher (t, clock) {
  const worker = new Worker(WATCHER, { eval: true, workerData: { loopscope: require.resolve('../..'), buffer: clock.buffer } })
  t.after(() => worker.terminate())
  return async () => {
    worker.postMessage('ask')
    const [seen] = await once(worker, 'message')
    return seen
  }
}

test('it goes on while the main thread is blocked, for a worker thread as well', async t => {
  const { clock } = start(t)
  await untilKept(clock)
  const ask = await startWatcher(t, clock)
  await ask()
  const until = performance.now() + BLOCK_MS
  while (performance.now() < until);
  const behindMs = Date.now() - clock.now()
  assert.ok(behindMs < BLOCK_MS / 2, `${behindMs} ms behind after the block`)
  const seen = await ask()
  assert.ok(seen > 10, `the worker saw ${seen} times`)
})

test('it is right when it is first used within a block, and is renewed once that is over', async t => {
  const handle = start(t)
  await sleep(0)
  const { clock } = handle
  const until = performance.now() + BLOCK_MS
  let furthestMs = 0
  while (performance.now() < until) furthestMs = Math.max(furthestMs, Date.now() - clock.now())
  assert.ok(furthestMs < BLOCK_MS / 2, `${furthestMs} ms behind within the block`)
  await untilKept(clock)
})

test('it never goes back', async t => {
  const { clock } = start(t)
  await untilKept(clock)
  let last = clock.now()
  const end = last + 500
  while (last < end) {
    const now = clock.now()
    if (now < last) assert.fail(`${now} after ${last}`)
    last = now
  }
})

test('a clock of one\'s own is renewed by the observer when it is made after the start, and outlives close()', async t => {
  const early = createClock()
  const handle = start(t)
  const late = createClock({ resolutionMs: 5 })
  t.after(() => [early, late].forEach(clock => clock.stop()))
  await untilKept(late)
  const { clock } = handle
  await handle.close()
  assert.equal(clock.running, false)
  assert.ok(Math.abs(Date.now() - clock.now()) < 1000)
  await untilAdvanced(early)
  await untilAdvanced(late)
})

test('its metric has a value once it is used', async t => {
  const handle = start(t)
  assert.doesNotMatch(await handle.registry.metrics(), METRIC)
  await untilAdvanced(handle.clock)
  assert.match(await handle.registry.metrics(), METRIC)
})

test('the middleware has the same clock, and none while it does not run', async t => {
  const handle = start(t)
  const middleware = diagnostics({ recorder: false, signals: false, logger: { info () {}, warn () {}, error () {} } })
  assert.equal(middleware.clock, handle.clock)
  await middleware.close()
  assert.throws(() => middleware.clock, { code: 'ERR_LOOPSCOPE_NOT_RUNNING' })
})

test('options of createClock are checked', () => {
  assert.throws(() => createClock({ resolutionMs: 0 }), { code: 'ERR_LOOPSCOPE_INVALID_OPTION' })
  assert.throws(() => createClock({ keeper () {} }), { code: 'ERR_LOOPSCOPE_UNKNOWN_OPTION' })
})
