'use strict'

const { describe, test } = require('node:test')
const assert = require('node:assert/strict')
const { monotonicMicros } = require('../../lib/base/monotonic')
const { StallWatch } = require('../../lib/observer/stalls/stall-watch')

const PERIOD_MS = 5
const THRESHOLD_MS = 400 // a machine that is late itself by half of it is not blamed on the loop

/** A watch over a loop that ticks when the test says so, with everything that the watch says. */
function createSubject (t) {
  const subject = { state: { tickMicros: 0, periodMs: PERIOD_MS, isIdle: false, ownWorkMicros: 0 }, said: [], probes: [], wakes: [], turns: 0 }
  const waiting = new Set()
  const say = what => stuck => {
    subject.said.push({ what, ...stuck })
    for (const check of waiting) check()
  }
  subject.watch = new StallWatch({
    state: subject.state,
    stallThresholdMs: THRESHOLD_MS,
    onWake: lateMs => {
      subject.wakes.push(lateMs)
      for (const check of waiting) check()
    },
    onSuspicion: say('suspicion'),
    onStall: say('stall'),
    onProbe: stuck => subject.probes.push(stuck),
    onReport: say('report'),
    onTurned: () => subject.turns++
  })
  subject.until = isTrue => new Promise(resolve => {
    const check = () => {
      if (!isTrue()) return
      waiting.delete(check)
      resolve()
    }
    waiting.add(check)
  })
  subject.saidOf = tickMicros => subject.said.filter(stuck => stuck.tickMicros === tickMicros).map(({ what }) => what)
  t.after(() => subject.watch.stop())
  return subject
}

describe('a watch', { concurrency: true }, () => {
  test('each stage of a stall is reported once, in order, and not before its time', async t => {
    const { state, said, saidOf, watch, until } = createSubject(t)
    const tickMicros = state.tickMicros = monotonicMicros()
    watch.start()
    watch.start()
    await until(() => said.some(({ what }) => what === 'report'))
    assert.deepEqual(saidOf(tickMicros), ['suspicion', 'stall', 'report'])
    const [suspicion, stall, report] = said.map(({ delayMs }) => delayMs)
    assert.ok(suspicion >= THRESHOLD_MS / 2 && stall >= THRESHOLD_MS && report >= 1000)
  })

  test('a stall that lasts is looked at again, ever more rarely', async t => {
    const { state, probes, watch, until } = createSubject(t)
    const tickMicros = state.tickMicros = monotonicMicros()
    watch.start()
    await until(() => probes.length >= 3)
    assert.ok(probes.every((probe, index) => probe.tickMicros === tickMicros && probe.delayMs >= THRESHOLD_MS * 1.5 ** (index + 1)))
  })

  test('the first probe is at the start, for the first stall to be measured against', t => {
    const { watch, wakes } = createSubject(t)
    watch.start()
    watch.start()
    assert.deepEqual(wakes, [0])
  })

  test('while the main thread does loopscope\'s own work nothing is reported of it, and the time before still is', async t => {
    const { state, said, saidOf, watch, wakes, until } = createSubject(t)
    const quiet = state.tickMicros = state.ownWorkMicros = monotonicMicros() - 50e6
    watch.start()
    await until(() => wakes.length >= 5)
    assert.deepEqual(said, [])
    state.ownWorkMicros = 0
    state.tickMicros = quiet + 48e6 // so long it took
    await until(() => saidOf(quiet + 48e6).length >= 3)
    assert.deepEqual(saidOf(quiet + 48e6), ['suspicion', 'stall', 'report'])
    const before = state.tickMicros = monotonicMicros() - 100e6
    state.ownWorkMicros = before + (THRESHOLD_MS + PERIOD_MS + 1) * 1e3
    await until(() => saidOf(before).length >= 2)
    assert.deepEqual(saidOf(before), ['suspicion', 'stall'])
  })

  test('stages that passed while nobody looked are caught up, and the next ones wait', async t => {
    const { state, saidOf, watch, until } = createSubject(t)
    const tickMicros = state.tickMicros = monotonicMicros() - 50e6
    watch.start()
    await until(() => saidOf(tickMicros).length >= 4)
    assert.deepEqual(saidOf(tickMicros), ['suspicion', 'stall', 'report', 'report']) // 1 s, 10 s; not yet 100 s
  })

  test('a new stall after a long one is not slept through', async t => {
    const { state, saidOf, watch, until } = createSubject(t)
    const longAgo = state.tickMicros = monotonicMicros() - 50e6
    watch.start()
    await until(() => saidOf(longAgo).length >= 4)
    const tickMicros = state.tickMicros = monotonicMicros()
    await until(() => saidOf(tickMicros).length >= 2)
    assert.deepEqual(saidOf(tickMicros).slice(0, 2), ['suspicion', 'stall'])
    assert.ok(watch.isStill({ tickMicros }) && !watch.isStill({ tickMicros: longAgo }))
  })

  test('a loop that ticks, and one that is not watched yet, are not reported', async t => {
    const { state, said, wakes, watch, until } = createSubject(t)
    watch.start()
    await until(() => wakes.length >= 2)
    const heartbeat = setInterval(() => { state.tickMicros = monotonicMicros() }, PERIOD_MS)
    t.after(() => clearInterval(heartbeat))
    const before = wakes.length
    await until(() => wakes.length >= before + 4)
    assert.deepEqual(said, [])
  })

  test('an idle loop that ticks on time is checked rarely, and others are reported each time', async t => {
    const subject = createSubject(t)
    const { state, said, wakes, watch, until } = subject
    Object.assign(state, { isIdle: true, periodMs: THRESHOLD_MS / 2 })
    const tick = () => { state.tickMicros = monotonicMicros() }
    tick()
    const heartbeat = setInterval(tick, state.periodMs)
    t.after(() => clearInterval(heartbeat))
    watch.start()
    const from = performance.now()
    await until(() => wakes.length >= 5)
    assert.ok((performance.now() - from) / (wakes.length - 1) >= THRESHOLD_MS)
    assert.equal(subject.turns, wakes.length - 1) // the first is the start
    assert.deepEqual(said, [])
  })

  test('after stop() nothing is reported', async t => {
    const { state, wakes, watch, until } = createSubject(t)
    state.tickMicros = monotonicMicros()
    watch.start()
    await until(() => wakes.length > 0)
    watch.stop()
    watch.stop()
    const before = wakes.length
    await new Promise(resolve => setTimeout(resolve, THRESHOLD_MS))
    assert.deepEqual([watch.running, wakes.length], [false, before])
  })

  test('an alarm rings once a stall, when the stall has reached its time', async t => {
    const { state, watch, until } = createSubject(t)
    const rung = []
    const end = watch.addAlarm(700, stuck => rung.push(stuck))
    watch.addAlarm(60_000, stuck => rung.push(stuck))
    state.tickMicros = monotonicMicros()
    watch.start()
    await until(() => rung.length === 1)
    assert.ok(rung[0].delayMs >= 700)
    const tickMicros = state.tickMicros = monotonicMicros()
    await until(() => rung.length === 2)
    assert.deepEqual(rung.map(stuck => stuck.tickMicros === tickMicros), [false, true])
    end()
  })
})

// Apart: it holds up this thread, and with it the watches of the others.
test('a thread that was late itself reports it, and lets the loop tick before it counts as stuck', async t => {
  const { state, said, wakes, watch, until } = createSubject(t)
  state.tickMicros = monotonicMicros()
  watch.start()
  const until1s = performance.now() + 1000
  while (performance.now() < until1s); // this thread stands still, as all of a suspended process does
  const before = wakes.length
  setImmediate(() => { state.tickMicros = monotonicMicros() })
  await until(() => wakes.length > before + 1)
  assert.ok(wakes[before] >= 500) // it meant to sleep for the threshold
  assert.deepEqual(said, [])
})
