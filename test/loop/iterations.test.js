'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { monitorEventLoopDelay } = require('node:perf_hooks')
const { setTimeout: sleep } = require('node:timers/promises')
const { createIterations } = require('../../lib/probe/loop/loop-meters')

const PATIENCE_MS = 10_000

/** A Node that knows the option refuses a wrong value for it. */
function isSupported () {
  try {
    monitorEventLoopDelay({ samplePerIteration: 'wrong' })
    return false
  } catch {
    return true
  }
}

const skip = isSupported() ? false : 'this Node has no per-iteration sampling'

function blockFor (ms) {
  const until = performance.now() + ms
  while (performance.now() < until);
}

async function waitUntil (isTrue) {
  const deadline = performance.now() + PATIENCE_MS
  while (!isTrue()) {
    assert.ok(performance.now() < deadline, 'waited in vain')
    await sleep(1)
  }
}

test('reads null exactly where Node has no such sampling', () => {
  const iterations = createIterations()
  iterations.start()
  assert.equal(iterations.read() !== null, isSupported())
  assert.equal(iterations.recentMaxMs, 0)
  iterations.stop()
  iterations.stop()
  assert.equal(iterations.running, false)
})

test('a turn blocked in a timer shows with its length', { skip }, async () => {
  const iterations = createIterations()
  iterations.start()
  await waitUntil(() => iterations.read().count > 0)
  setTimeout(() => blockFor(80), 1)
  await waitUntil(() => iterations.read().maxMs >= 80)
  assert.ok(iterations.recentMaxMs >= 80)
  assert.ok(iterations.read().p50Ms <= iterations.read().p99Ms)
  iterations.stop()
})

test('every turn is a sample, until stop()', { skip }, async () => {
  const iterations = createIterations()
  iterations.start()
  await waitUntil(() => iterations.read().count > 0)
  const before = iterations.read().count
  for (let turn = 0; turn < 1000; turn++) await new Promise(resolve => setImmediate(resolve))
  assert.ok(iterations.read().count - before >= 999)

  iterations.stop()
  const atStop = iterations.read().count
  for (let turn = 0; turn < 10; turn++) await new Promise(resolve => setImmediate(resolve))
  assert.equal(iterations.read().count, atStop)
})

test('the first wait of the process is not a sample', { skip }, () => {
  const path = require.resolve('../../lib/probe/loop/loop-meters')
  const script = `
    const iterations = require(${JSON.stringify(path)}).createIterations()
    iterations.start()
    setTimeout(() => setTimeout(() => console.log(JSON.stringify(iterations.read())), 1), 1500)`
  const child = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' })
  const { count, maxMs } = JSON.parse(child.stdout)
  assert.ok(count > 0)
  assert.ok(maxMs < 1500, `${maxMs} ms`)
})

test('a started part does not keep the process alive', () => {
  const path = require.resolve('../../lib/probe/loop/loop-meters')
  const child = spawnSync(process.execPath, ['-e', `require(${JSON.stringify(path)}).createIterations().start()`], { timeout: PATIENCE_MS })
  assert.equal(child.status, 0)
})

test('a listing of active handles survives its collection as garbage, whether it was started or not', () => {
  const path = require.resolve('../../lib/probe/loop/loop-meters')
  const script = `
    const { createIterations } = require(${JSON.stringify(path)})
    let turns = 0
    function turn () {
      const iterations = createIterations()
      if (turns % 2) { iterations.start(); iterations.stop() }
      gc()
      process._getActiveHandles()
      if (++turns < 100) setImmediate(turn)
    }
    turn()`
  const { status, signal, stderr } = spawnSync(process.execPath, ['--expose-gc', '-e', script], { encoding: 'utf8' })
  assert.deepEqual({ status, signal, stderr }, { status: 0, signal: null, stderr: '' })
})
