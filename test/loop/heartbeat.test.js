'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { monotonicMicros } = require('../../lib/base/monotonic')
const { SharedState } = require('../../lib/link/shared-state')
const { Heartbeat } = require('../../lib/probe/loop/heartbeat')

const PERIOD_MS = 5
const NEVER_MS = 1e9

function createSubject (t, { stallThresholdMs = NEVER_MS, onFirst } = {}) {
  const subject = { delays: [], stalls: [], state: new SharedState() }
  let onNext = () => {}
  subject.heartbeat = new Heartbeat({
    periodMs: PERIOD_MS,
    stallThresholdMs,
    state: subject.state,
    onTick: delayMs => {
      subject.delays.push(delayMs)
      onNext()
    },
    onStall: tick => subject.stalls.push(tick),
    onFirst
  })
  const keepAlive = setInterval(() => {}, 1000) // the heartbeat does not
  subject.nextTick = () => new Promise(resolve => { onNext = resolve })
  t.after(() => {
    clearInterval(keepAlive)
    subject.heartbeat.stop()
  })
  return subject
}

function blockFor (ms) {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('each tick writes its lateness and its time into shared memory', async t => {
  const { heartbeat, delays, state, nextTick } = createSubject(t)
  heartbeat.start()
  heartbeat.start()
  await nextTick()
  const first = state.tickMicros
  await nextTick()
  assert.ok(first > 0 && state.tickMicros > first && state.tickMicros <= monotonicMicros())
  assert.ok(delays.every(delayMs => delayMs >= 0))
  assert.equal(delays.length, 2)
})

test('a blocked loop is one late tick with its beginning and its end', async t => {
  const { heartbeat, delays, stalls, state, nextTick } = createSubject(t, { stallThresholdMs: 60 })
  heartbeat.start()
  await nextTick()
  stalls.length = 0 // of a machine that stood still meanwhile
  const fromMicros = state.tickMicros
  blockFor(100)
  await nextTick()
  await new Promise(resolve => setImmediate(resolve)) // onStall comes after onTick
  const [stall] = stalls
  assert.deepEqual([stall.fromMicros, stall.toMicros > fromMicros + 100_000], [fromMicros, true])
  assert.equal(stall.delayMs, (stall.toMicros - stall.fromMicros) / 1e3 - PERIOD_MS)
  assert.equal(delays.at(-1), stall.delayMs)
})

test('what blocks before the first tick is the application starting, and counts as nothing', async t => {
  const { heartbeat, delays, state, nextTick } = createSubject(t)
  heartbeat.start()
  blockFor(300)
  const startedMicros = monotonicMicros()
  await nextTick()
  assert.equal(delays.length, 1)
  assert.ok(delays[0] <= (state.tickMicros - startedMicros) / 1e3)
})

test('the loop turns for the first time once, and what is done on that occasion is no delay', async t => {
  let turns = 0
  const { heartbeat, delays, state, nextTick } = createSubject(t, {
    onFirst () {
      turns++
      assert.ok(heartbeat.lastMicros > 0)
      blockFor(100)
      doneMicros = monotonicMicros()
    }
  })
  let doneMicros = Infinity
  heartbeat.start()
  assert.deepEqual([turns, heartbeat.lastMicros], [0, 0])
  await nextTick()
  await nextTick()
  assert.equal(turns, 1)
  assert.ok(delays[0] <= (state.tickMicros - doneMicros) / 1e3)
})

test('a heart that was stopped before the loop turned does not beat', async t => {
  const { heartbeat, state } = createSubject(t, { onFirst: () => assert.fail('it turned') })
  heartbeat.start()
  heartbeat.stop()
  await new Promise(resolve => setTimeout(resolve, 4 * PERIOD_MS))
  assert.equal(state.tickMicros, 0)
})

test('loopscope\'s own exempt work is no delay', async t => {
  const { heartbeat, delays, state, nextTick } = createSubject(t)
  heartbeat.skipElapsed()
  heartbeat.start()
  await nextTick()
  blockFor(300)
  const doneMicros = monotonicMicros()
  heartbeat.skipElapsed()
  await nextTick()
  assert.ok(delays.at(-1) <= (state.tickMicros - doneMicros) / 1e3)
})

test('own work is no delay, and what the application does before and after it is one', async t => {
  const { heartbeat, delays, stalls, state, nextTick } = createSubject(t, { stallThresholdMs: 60 })
  heartbeat.start()
  await nextTick()
  stalls.length = 0
  const fromMicros = state.tickMicros
  blockFor(100)
  heartbeat.exempt(() => blockFor(300))
  assert.ok(state.tickMicros >= fromMicros + 300e3, 'the observer is told')
  heartbeat.beginOwnWork()
  assert.ok(state.ownWorkMicros > 0)
  blockFor(300)
  assert.ok(heartbeat.endOwnWork() >= 300)
  blockFor(100)
  await nextTick()
  await new Promise(resolve => setImmediate(resolve))
  const [stall] = stalls
  assert.deepEqual([stall.fromMicros, stall.ownWork.length, state.ownWorkMicros], [fromMicros, 2, 0])
  assert.ok(stall.ownMs >= 600 && stall.delayMs >= 200 - PERIOD_MS)
  assert.equal(Math.round(stall.delayMs + stall.ownMs + PERIOD_MS), Math.round((stall.toMicros - stall.fromMicros) / 1e3))
  await nextTick()
  assert.ok(delays.at(-1) < stall.delayMs + stall.ownMs, 'it is counted once')
})

test('own work that is interrupted by other own work is own work before and after it', async t => {
  const { heartbeat, stalls, state, nextTick } = createSubject(t, { stallThresholdMs: 60 })
  heartbeat.start()
  await nextTick()
  stalls.length = 0
  const fromMicros = state.tickMicros
  heartbeat.exempt(() => {
    blockFor(200)
    const beganMicros = state.ownWorkMicros
    heartbeat.beginOwnWork()
    blockFor(50)
    assert.ok(heartbeat.endOwnWork() < 200)
    assert.equal(state.ownWorkMicros, beganMicros, 'it goes on')
    blockFor(200)
  })
  assert.ok(state.tickMicros >= fromMicros + 450e3 && state.tickMicros <= monotonicMicros(), 'nothing of it is told twice')
  blockFor(100)
  await nextTick()
  await new Promise(resolve => setImmediate(resolve))
  const [{ ownWork, ownMs, delayMs, toMicros }] = stalls
  assert.deepEqual([ownWork.length, state.ownWorkMicros], [1, 0])
  assert.ok(ownMs >= 450)
  assert.equal(Math.round(delayMs + ownMs + PERIOD_MS), Math.round((toMicros - fromMicros) / 1e3))
})

test('own work that was begun and never ended hides nothing', async t => {
  const { heartbeat, stalls, state, nextTick } = createSubject(t, { stallThresholdMs: 60 })
  heartbeat.start()
  await nextTick()
  stalls.length = 0
  heartbeat.beginOwnWork()
  blockFor(200)
  await nextTick()
  await new Promise(resolve => setImmediate(resolve))
  assert.ok(stalls[0].delayMs >= 190 && stalls[0].ownMs === 0)
  assert.equal(state.ownWorkMicros, stalls[0].toMicros)
  await nextTick()
  assert.equal(state.ownWorkMicros, 0, 'and is forgotten')
  heartbeat.beginOwnWork()
  heartbeat.dropOwnWork()
  assert.deepEqual([state.ownWorkMicros, heartbeat.endOwnWork()], [0, 0])
})

test('after stop() there are no ticks and the observer sees a loop that is not watched', async t => {
  const { heartbeat, delays, state, nextTick } = createSubject(t)
  heartbeat.start()
  await nextTick()
  heartbeat.stop()
  heartbeat.stop()
  const before = delays.length
  await new Promise(resolve => setTimeout(resolve, 5 * PERIOD_MS))
  assert.deepEqual([heartbeat.running, delays.length, state.tickMicros], [false, before, 0])
  heartbeat.start()
  await nextTick()
  assert.equal(heartbeat.running, true)
})

test('a started heartbeat does not keep the process alive', () => {
  const [heartbeat, sharedState] = ['probe/loop/heartbeat', 'link/shared-state'].map(name => require.resolve(`../../lib/${name}`))
  const script = `
    const { SharedState } = require(${JSON.stringify(sharedState)})
    const { Heartbeat } = require(${JSON.stringify(heartbeat)})
    new Heartbeat({ periodMs: 5, stallThresholdMs: 100, state: new SharedState(), onTick () {}, onStall () {} }).start()`
  assert.equal(spawnSync(process.execPath, ['-e', script], { timeout: 10_000 }).status, 0)
})
