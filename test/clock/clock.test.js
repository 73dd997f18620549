'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { createClock, renew } = require('../../lib/shared/clock')
const { untilAdvanced } = require('./kept')

/** @param {import('node:test').TestContext} t */
function createSubject (t, options) {
  const clock = createClock(options)
  t.after(() => clock.stop())
  return clock
}

test('it returns whole milliseconds, seconds and a date between its last renewal and now, and it goes on', async t => {
  const madeAt = Date.now()
  const clock = createSubject(t)
  await untilAdvanced(clock)
  const now = clock.now()
  assert.ok(Number.isInteger(now) && now > madeAt && now <= Date.now())
  assert.equal(clock.seconds(), Math.floor(now / 1000))
  assert.ok(clock.date() instanceof Date)
  assert.equal(clock.date().getTime(), now)
})

test('it is right when it is first used within a block, in which nobody can renew it', t => {
  const clock = createSubject(t)
  const until = performance.now() + 150
  for (let now = 0; performance.now() < until;) {
    const before = Date.now()
    now = clock.now()
    assert.ok(now >= before && now <= Date.now())
  }
})

test('a stopped clock asks the system, and can be started again', async t => {
  const clock = createSubject(t)
  clock.stop()
  clock.stop()
  assert.equal(clock.running, false)
  const before = Date.now()
  const now = clock.now()
  assert.ok(now >= before && now <= Date.now())
  clock.start()
  clock.start()
  assert.equal(clock.running, true)
  await untilAdvanced(clock)
})

test('a clock on the buffer of another one reads its time, and cannot stop it', t => {
  t.mock.timers.enable({ apis: ['setInterval', 'Date'], now: 1e12 })
  const clock = createSubject(t)
  const reader = createClock({ buffer: clock.buffer })
  t.mock.timers.tick(50)
  t.mock.timers.tick(5)
  assert.equal(reader.now(), 1e12 + 50)
  reader.stop()
  assert.deepEqual([clock.running, reader.running, clock.now()], [true, true, 1e12 + 50])
  clock.stop()
  assert.deepEqual([reader.running, reader.now()], [false, 1e12 + 55])
})

test('it asks the system until a keeper has begun, and when that is lost until its own timer has', t => {
  t.mock.timers.enable({ apis: ['setInterval', 'Date'], now: 1e12 })
  let listeners
  let released = 0
  const clock = createSubject(t, { keeper: (buffer, resolutionMs, theirs) => { listeners = theirs; return () => { released++ } } })
  t.mock.timers.tick(20)
  t.mock.timers.setTime(1e12 + 25)
  assert.equal(clock.now(), 1e12 + 25, 'not kept yet')
  listeners.onKept()
  renew(new Float64Array(clock.buffer))
  t.mock.timers.tick(20)
  assert.equal(clock.now(), 1e12 + 25, 'left to the keeper, which does nothing more here')
  listeners.onLost()
  t.mock.timers.setTime(1e12 + 48)
  assert.equal(clock.now(), 1e12 + 48, 'lost')
  t.mock.timers.tick(10)
  t.mock.timers.tick(5)
  assert.equal(clock.now(), 1e12 + 58, 'its own timer')
  clock.stop()
  assert.equal(released, 1)
})

test('it reports for how long it stood still', async t => {
  const clock = createSubject(t)
  await untilAdvanced(clock)
  const from = clock.now()
  while (Date.now() - from < 150);
  assert.equal(clock.now(), from, 'a timer of this thread cannot run meanwhile')
  await untilAdvanced(clock)
  assert.ok(clock.recentMaxStalenessMs >= 150)
})

test('wrong and unknown options throw, and a process with a clock ends by itself', () => {
  for (const options of [{ resolutionMs: 0 }, { resolutionMs: 1001 }, { resolutionMs: 1.5 }, { buffer: new ArrayBuffer(64) }, { buffer: new SharedArrayBuffer(8) }]) {
    assert.throws(() => createClock(options), { code: 'ERR_LOOPSCOPE_INVALID_OPTION' })
  }
  assert.throws(() => createClock({ resolution: 10 }), { code: 'ERR_LOOPSCOPE_UNKNOWN_OPTION' })
  const script = `require(${JSON.stringify(require.resolve('../../lib/shared/clock'))}).createClock()`
  assert.equal(spawnSync(process.execPath, ['-e', script], { timeout: 20_000 }).status, 0)
})
