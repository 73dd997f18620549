'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { monotonicMicros } = require('../../lib/base/monotonic')
const { SharedState } = require('../../lib/link/shared-state')
const { LoopSeries } = require('../../lib/observer/stalls/stall-records')

function createSubject (t) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const state = new SharedState()
  state.periodMs = 20
  state.tickMicros = monotonicMicros()
  let seconds = 0
  const series = new LoopSeries({ state, now: () => ++seconds * 1e3 })
  t.after(() => series.stop())
  return { state, series, second: () => t.mock.timers.tick(1000) }
}

test('each second has the longest delay that was noted in it', t => {
  const { state, series, second } = createSubject(t)
  series.start()
  series.start()
  for (const delayMs of [3, 250.04, 7]) state.noteDelay(delayMs)
  state.utilization = 0.25
  state.requestTotals.set([7, 5])
  second()
  state.tickMicros = monotonicMicros()
  second()
  const same = { utilization: 0.25, answered: 5 }
  assert.deepEqual(series.list(), [{ at: 1000, maxDelayMs: 250, ...same }, { at: 2000, maxDelayMs: 0, ...same }])
  assert.deepEqual(series.requests, { answered: 5, inFlight: 2 })
})

test('a loop that is stuck shows how long it has been, and one that turns shows nothing', t => {
  const { state, series, second } = createSubject(t)
  assert.equal(series.blockedMs(), 0)
  state.tickMicros = monotonicMicros() - 5e6
  assert.ok(series.blockedMs() >= 4980)
  series.start()
  second()
  assert.ok(series.list()[0].maxDelayMs >= 4980)
  assert.equal(series.list()[0].utilization, null)
  state.tickMicros = 0 // it has not begun to turn
  assert.equal(series.blockedMs(), 0)
})

test('ten minutes are kept, and nothing is added after stop()', t => {
  const { series, second } = createSubject(t)
  series.start()
  for (let count = 0; count < 650; count++) second()
  assert.deepEqual([series.list().length, series.list()[0].at], [600, 51_000])
  series.stop()
  second()
  assert.deepEqual([series.running, series.list().length], [false, 600])
})
