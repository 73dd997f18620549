'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { SharedState } = require('../../lib/link/shared-state')
const { Heartbeat } = require('../../lib/probe/loop/heartbeat')

const PERIOD_MS = 20
const THRESHOLD_MS = 100
const MIN_SHARE = 0.3 // of a processor: a process that gets less than 0.1 counts as idle

function createSubject (t) {
  const subject = { ticks: [], stalls: [], suspicions: [], hurries: 0, state: new SharedState() }
  let check = () => {}
  subject.heartbeat = new Heartbeat({
    periodMs: PERIOD_MS,
    stallThresholdMs: THRESHOLD_MS,
    state: subject.state,
    onTick (delayMs, periods) {
      subject.ticks.push({ delayMs, periods })
      setImmediate(() => check())
    },
    onStall: tick => (tick.isSuspected ? subject.suspicions : subject.stalls).push(tick),
    onSpeedUp: () => subject.hurries++
  })
  const keepAlive = setInterval(() => {}, 1000) // the heartbeat does not
  t.after(() => {
    clearInterval(keepAlive)
    subject.heartbeat.stop()
  })
  subject.until = isTrue => new Promise(resolve => {
    check = () => { if (isTrue()) resolve() }
    check()
  })
  subject.heartbeat.start()
  return subject
}

/**
 * Of processor time: on a machine that others keep busy it takes longer, and is work all the same. Nor does it take less: V8 compiles
 * the loop on another thread meanwhile, which counts as well (up to 6 % of 120 ms).
 * @returns {number} the share of a processor that there was for it
 */
function workFor (ms) {
  const from = performance.now()
  const before = process.cpuUsage()
  const passedMs = () => performance.now() - from
  const usedMs = () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1e3
  }
  while (usedMs() < ms || passedMs() < ms);
  return usedMs() / passedMs()
}

test('an idle heart beats slower, and a slow tick stands for several', async t => {
  const { state, ticks, until } = createSubject(t)
  assert.deepEqual([state.isIdle, state.periodMs], [false, PERIOD_MS])
  await until(() => state.isIdle)
  assert.equal(state.periodMs, 5 * PERIOD_MS)
  const before = ticks.length
  await until(() => ticks.length > before + 1 && ticks.at(-1).periods > 1)
  assert.ok(ticks.at(-1).periods <= 5)
})

test('work that announces itself makes it fast at once', async t => {
  const subject = createSubject(t)
  const { heartbeat, state, until } = subject
  heartbeat.speedUp()
  assert.equal(subject.hurries, 0)
  await until(() => state.isIdle)
  const { tickMicros } = state
  heartbeat.speedUp()
  heartbeat.speedUp()
  assert.deepEqual([state.isIdle, state.periodMs, subject.hurries, state.tickMicros > tickMicros], [false, PERIOD_MS, 1, true])
})

test('work that does not is a stall all the same, as long as it was, and then the heart is fast', async t => {
  const { state, stalls, until } = createSubject(t)
  for (let share = 0; share < MIN_SHARE;) {
    await until(() => state.isIdle)
    stalls.length = 0 // of a machine that stood still meanwhile
    share = workFor(3 * THRESHOLD_MS)
    await until(() => stalls.length > 0)
  }
  assert.ok(stalls[0].delayMs >= 2 * THRESHOLD_MS && stalls[0].delayMs <= (stalls[0].toMicros - stalls[0].fromMicros) / 1e3)
  assert.equal(state.isIdle, false)
})

test('the shortest block that a fast heart always finds is found by the slow one, also where it begins right after a tick', async t => {
  const { state, stalls, until } = createSubject(t)
  await until(() => state.isIdle)
  stalls.length = 0
  workFor(THRESHOLD_MS + PERIOD_MS) // the tick that made it slow has just been
  await until(() => stalls.length > 0)
  assert.ok(stalls[0].delayMs >= THRESHOLD_MS)
})

test('an idle tick that was late without processor time is suspected, with less than a stall', async t => {
  const { state, suspicions, until } = createSubject(t)
  await until(() => state.isIdle)
  const waiting = setInterval(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, THRESHOLD_MS), 5 * THRESHOLD_MS)
  t.after(() => clearInterval(waiting))
  await until(() => suspicions.length > 0)
  assert.ok(suspicions[0].delayMs >= THRESHOLD_MS / 5 && suspicions[0].delayMs < THRESHOLD_MS)
})
