'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const fs = require('node:fs')
const { spawnSync } = require('node:child_process')
const { promisify } = require('node:util')
const { PoolProbe, PoolWaits } = require('../../lib/observer/sync-calls/pool-probe')

const derive = promisify(crypto.pbkdf2)
const POOL_SIZE = Number(process.env.UV_THREADPOOL_SIZE) || 4
const LATE_MS = 200
const HOUR_MS = 3_600_000
const ITERATIONS = 100_000 // a twentieth of a second each

/** In place of each second. */
function often (ms, tick) {
  const timer = setInterval(tick, 300)
  return () => clearInterval(timer)
}

/** Keeps more tasks in libuv's pool than it has threads, until it is told to stop. */
function fillPool () {
  const enough = new AbortController()
  const lanes = Array.from({ length: POOL_SIZE * 3 }, async () => {
    while (!enough.signal.aborted) await derive('password', 'salt', ITERATIONS, 64, 'sha512')
  })
  return async () => {
    enough.abort()
    await Promise.all(lanes)
  }
}

test('a task that waits for a thread of a full pool is reported, with its waiting time', async t => {
  const empty = fillPool()
  t.after(empty)
  const waitedMs = await new Promise(resolve => {
    const probe = new PoolProbe({ onQueued: resolve, interval: often })
    t.after(() => probe.stop())
    probe.start()
  })
  assert.ok(waitedMs >= 50)
})

/** Has a pool asked that answers as it is told, until so many tasks were put into it; returns what the probe told. */
async function told (t, tasks, answer) {
  const queued = []
  const probe = new PoolProbe({ onQueued: waitedMs => queued.push(waitedMs), interval: often })
  const busy = setInterval(burn, 50, 25) // an idle process is not asked, and the probe does not keep one alive
  t.after(() => {
    clearInterval(busy)
    probe.stop()
  })
  await new Promise(resolve => {
    let asked = 0
    t.mock.method(fs, 'stat', (file, callback) => {
      answer(callback, ++asked)
      if (asked === tasks) setTimeout(resolve, LATE_MS)
    })
    probe.start()
  })
  return queued
}

function burn (ms) {
  for (const from = Date.now(); Date.now() - from < ms;);
}

test('a task that waited while this thread did not run either is no evidence about the pool', async t => {
  assert.deepEqual(await told(t, 4, callback => setImmediate(() => {
    burn(LATE_MS)
    callback()
  })), [])
})

test('one task that waited, and the next one not, was no full pool', async t => {
  assert.deepEqual(await told(t, 6, (callback, asked) => asked % 2 === 1 ? setTimeout(callback, LATE_MS) : callback()), [])
})

test('a task that waits for seconds is counted in each of them, as long as it waits', async t => {
  const queued = []
  const probe = new PoolProbe({ onQueued: waitedMs => queued.push(waitedMs), interval: often })
  const busy = setInterval(burn, 50, 12) // hardly late itself: that would not count as waiting
  t.after(() => {
    clearInterval(busy)
    probe.stop()
  })
  t.mock.method(fs, 'stat', () => {})
  probe.start()
  const from = Date.now()
  while (queued.length < 3 && Date.now() - from < 20_000) await new Promise(resolve => setTimeout(resolve, 50))
  assert.ok(queued.length >= 3 && queued.every(waitedMs => waitedMs >= 1000), String(queued))
})

test('a full pool is counted each time and logged once an hour, with the size it has', () => {
  const subject = { now: 0 }
  const warnings = []
  const waits = new PoolWaits({ poolSize: 8, warn: (fields, message) => warnings.push({ ...fields, message }), now: () => subject.now })
  assert.deepEqual(waits.counts(), { queued: 0, maxWaitMs: 0 })
  for (const [waitedMs, nowMs] of [[60, 0], [90.4, 1000], [70, HOUR_MS]]) {
    subject.now = nowMs
    waits.note(waitedMs)
  }
  assert.deepEqual(waits.counts(), { queued: 3, maxWaitMs: 90 })
  assert.deepEqual(warnings.map(({ pool }) => pool), [{ waitedMs: 60, size: 8 }, { waitedMs: 70, size: 8 }])
  assert.match(warnings[0].message, /UV_THREADPOOL_SIZE/)
})

test('it can be started and stopped repeatedly', () => {
  const probe = new PoolProbe({ onQueued () {} })
  probe.start()
  probe.start()
  assert.equal(probe.running, true)
  probe.stop()
  probe.stop()
  assert.equal(probe.running, false)
})

test('a process with a probe ends by itself', () => {
  const script = `new (require(${JSON.stringify(require.resolve('../../lib/observer/sync-calls/pool-probe'))}).PoolProbe)({ onQueued () {} }).start()`
  assert.equal(spawnSync(process.execPath, ['-e', script], { timeout: 20_000 }).status, 0)
})
