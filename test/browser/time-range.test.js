'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { clampRange, recordedRange, timeOfDay } = require('../../lib/browser/figures/time-range')

const RANGE = { fromMs: 100_000, toMs: 160_000 }

test('what can be chosen is what the recorder holds, in whole seconds', () => {
  const times = { startedAt: 1500, now: 61_200 }
  assert.deepEqual(recordedRange({ off: null, fromMs: 10_700 }, times), { fromMs: 10_000, toMs: 62_000 })
  assert.deepEqual(recordedRange({ off: null, fromMs: null }, times), { fromMs: 1000, toMs: 62_000 }, 'before its first window ended')
  assert.deepEqual(recordedRange({ off: null, fromMs: 61_100 }, times), { fromMs: 60_000, toMs: 62_000 }, 'a second at least')
  assert.equal(recordedRange({ off: 'option recorder is false', fromMs: null }, times), null)
})

test('what is chosen outside of it is moved into it, and is a second at least', () => {
  const cases = [
    [[110_000, 120_000], [110_000, 120_000], false],
    [[0, 120_000], [100_000, 120_000], true],
    [[110_000, 999_000], [110_000, 160_000], true],
    [[0, 50_000], [100_000, 101_000], true],
    [[500_000, 900_000], [159_000, 160_000], true],
    [[120_000, 110_000], [120_000, 121_000], true]
  ]
  for (const [[fromMs, toMs], expected, isMoved] of cases) {
    assert.deepEqual(clampRange({ fromMs, toMs }, RANGE), { fromMs: expected[0], toMs: expected[1], isMoved })
  }
})

test('a time of day is the nearest one that is not far ahead, also over midnight', () => {
  const noon = new Date(2026, 5, 1, 12, 0, 0).getTime()
  assert.equal(timeOfDay('11:59:30', noon), noon - 30_000)
  assert.equal(timeOfDay('12:01', noon), noon + 60_000)
  const midnight = new Date(2026, 5, 2, 0, 0, 20).getTime()
  assert.equal(timeOfDay('23:59:50', midnight), midnight - 30_000)
  for (const text of ['', 'x', '1:2']) assert.equal(timeOfDay(text, noon), null)
})
