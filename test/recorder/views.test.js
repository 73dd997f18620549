'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { History } = require('../../lib/observer/recorder/history')
const { createViews } = require('../../lib/observer/recorder/views')
const { monotonicMicros } = require('../../lib/base/monotonic')
const { assertValid, profileOf } = require('./crafted')

const LONG_MS = 60_000 // a wait that only a fault would sit out

function wholeMicros () {
  return Math.round(monotonicMicros())
}

/** Views of a main thread that ends its window at once when it is asked to, as one 100 Hz profile since the last time. */
function createRecording ({ backSeconds, ...parts } = {}) {
  const history = new History({ keepMicros: 600e6 })
  let fromMicros = wholeMicros() - backSeconds * 1e6
  const recording = {
    history,
    rotations: 0,
    rotate () {
      recording.rotations++
      const micros = wholeMicros() - fromMicros
      const samples = Array.from({ length: Math.ceil(micros / 10_000) }, () => [['work'], 10_000])
      history.add({ ...profileOf(samples, fromMicros), endTime: fromMicros + micros })
      fromMicros += micros
    }
  }
  recording.views = createViews({ history, keepSeconds: 600, rotate: recording.rotate, offReason: () => null, maxWaitMs: LONG_MS, ...parts })
  return recording
}

test('a view of the past has the open window ended and is there at once', async () => {
  const { views } = createRecording({ backSeconds: 30 })
  const now = wholeMicros()
  const { profile, fromMicros, toMicros, isShortened } = await views.view({ fromMicros: now - 10e6, toMicros: now })
  assertValid(profile)
  assert.deepEqual([fromMicros, toMicros, isShortened], [now - 10e6, now, false])
})

test('a view that lies ahead ends its window after it, not just before', async () => {
  for (let round = 0; round < 20; round++) {
    const { views } = createRecording({ backSeconds: 1, maxWaitMs: 50 })
    const now = wholeMicros()
    const wanted = { fromMicros: now - 1000, toMicros: now + 3000 + 50 * round }
    const { toMicros } = await views.view(wanted)
    assert.equal(toMicros, wanted.toMicros)
    assert.ok(wholeMicros() >= toMicros)
  }
})

test('a view that reaches further back than what is kept is marked as shortened', async () => {
  const { views } = createRecording({ backSeconds: 5 })
  const now = wholeMicros()
  const { fromMicros, isShortened } = await views.view({ fromMicros: now - 30e6, toMicros: now })
  assert.equal(isShortened, true)
  assert.ok(fromMicros > now - 6e6 && fromMicros < now - 4e6)
})

test('a main thread that cannot end its window is waited for, but not for ever', async () => {
  const { views, rotate } = createRecording({ backSeconds: 30, maxWaitMs: 20, rotate: () => {} })
  rotate()
  const now = wholeMicros()
  const { toMicros, isShortened } = await views.view({ fromMicros: now - 1e6, toMicros: wholeMicros() })
  assert.ok(toMicros < now && !isShortened) // what is missing is less than the sampler's grain
  await assert.rejects(views.view({ fromMicros: now + 1000, toMicros: now + 2000 }), { code: 'ERR_LOOPSCOPE_EMPTY_VIEW' })
})

test('the end of a past that is there is waited for shortly; what lies ahead, and what nothing is known of, is not', async () => {
  const recording = createRecording({ backSeconds: 30, maxPastWaitMs: 20, rotate: () => setTimeout(recording.rotate, 100) })
  recording.rotate()
  const known = wholeMicros()
  while (wholeMicros() < known + 1000);
  const past = await recording.views.view({ fromMicros: known - 1e6, toMicros: wholeMicros() })
  assert.ok(past.toMicros <= known)
  const unknown = { fromMicros: known + 500, toMicros: known + 1000 }
  assert.equal((await recording.views.view(unknown)).toMicros, unknown.toMicros)
  const ahead = { fromMicros: known - 1e6, toMicros: wholeMicros() + 10_000 }
  assert.equal((await recording.views.view(ahead)).toMicros, ahead.toMicros)
})

test('an aborted view is refused and lets go of what it kept', async () => {
  const { views, history, rotate } = createRecording({ backSeconds: 30 })
  rotate()
  const now = wholeMicros()
  await assert.rejects(views.view({ fromMicros: now - 20e6, toMicros: now + LONG_MS * 1e3 }, AbortSignal.abort()), { name: 'AbortError' })
  history.add(profileOf([[['later'], 10_000]], now + 700e6))
  assert.equal(history.fromMicros, now + 700e6)
})

test('a view aborted while the main thread is waited for is refused too', async () => {
  const controller = new AbortController()
  const { views, rotate } = createRecording({ backSeconds: 30, maxWaitMs: 5, rotate: () => controller.abort() })
  rotate()
  const now = wholeMicros()
  await assert.rejects(views.view({ fromMicros: now - 1e6, toMicros: now }, controller.signal), { name: 'AbortError' })
})

test('without a recorder, and without samples, a view is refused with the reason', async () => {
  const off = createRecording({ backSeconds: 1, offReason: () => 'option recorder is false' })
  await assert.rejects(off.views.view({ fromMicros: 0, toMicros: 1 }), { code: 'ERR_LOOPSCOPE_RECORDER_OFF', message: /option recorder is false/ })
  const empty = createRecording({ backSeconds: 1, maxWaitMs: 1, rotate: () => {} })
  await assert.rejects(empty.views.view({ fromMicros: 0, toMicros: 1 }), { code: 'ERR_LOOPSCOPE_EMPTY_VIEW', message: /started at no time yet/ })
})
