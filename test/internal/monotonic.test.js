'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Worker } = require('node:worker_threads')
const { fromEpochMs, monotonicMicros, toEpochMs } = require('../../lib/base/monotonic')

const MODULE = JSON.stringify(require.resolve('../../lib/base/monotonic'))
const MS_MICROS = 1e3

test('it is the clock of process.hrtime, and never runs backwards', () => {
  for (let round = 0; round < 1000; round++) {
    const before = Number(process.hrtime.bigint()) / 1e3
    const first = monotonicMicros()
    const second = monotonicMicros()
    const after = Number(process.hrtime.bigint()) / 1e3
    assert.ok(second >= first)
    assert.ok(first >= before - MS_MICROS && second <= after + MS_MICROS) // tied once: as exact as that moment was
  }
})

test('all threads read the same axis', async () => {
  const before = monotonicMicros()
  const micros = await new Promise((resolve, reject) => {
    const script = `require('node:worker_threads').parentPort.postMessage(require(${MODULE}).monotonicMicros())`
    new Worker(script, { eval: true }).once('message', resolve).once('error', reject)
  })
  assert.ok(micros > before - MS_MICROS && micros < monotonicMicros() + MS_MICROS)
})

test('a moment on it converts to the time of day, past and future', () => {
  const before = Date.now()
  const micros = monotonicMicros()
  const [now, past, future] = [0, -60e6, 60e6].map(offset => toEpochMs(micros + offset))
  const after = Date.now()
  assert.ok(now >= before - 1 && now <= after + 1)
  assert.ok(Math.abs(now - past - 60_000) <= after - before + 1 && Math.abs(future - now - 60_000) <= after - before + 1)
})

test('a time of day converts to a moment on it', () => {
  const before = Date.now()
  const micros = monotonicMicros()
  const there = fromEpochMs(toEpochMs(micros))
  assert.ok(Math.abs(there - micros) <= (Date.now() - before + 2) * MS_MICROS)
})
