'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { labelOf, peaksOf, scaleOf, stepsTo, toScale } = require('../../lib/browser/figures/delay-scale')

test('the scale goes from a millisecond to the power of ten above the highest, a second at least', () => {
  assert.deepEqual([[], [3, null], [1000], [1001], [20_000]].map(scaleOf), [[1, 1000], [1, 1000], [1, 1000], [1, 10_000], [1, 100_000]])
  assert.deepEqual(stepsTo(10_000).map(labelOf), ['1 ms', '10 ms', '100 ms', '1 s', '10 s'])
})

test('what is shorter than a millisecond is drawn as one, and what is not known not at all', () => {
  assert.deepEqual([0, 0.4, 1, 20, null].map(toScale), [1, 1, 1, 20, null])
})

test('the highest peaks are written out, and not two beside each other', () => {
  const times = Array.from({ length: 60 }, (_, second) => second)
  const values = times.map(second => ({ 10: 400, 11: 20_000, 12: 500, 40: 150, 41: 120, 55: 99 })[second] ?? 5)
  assert.deepEqual(peaksOf(times, values, { leastMs: 100, apart: 7 }), [11, 40])
  assert.deepEqual(peaksOf(times, values.map(() => 200), { leastMs: 100, apart: 7 }).length, 3)
  assert.deepEqual(peaksOf([], [], { leastMs: 100, apart: 7 }), [])
  assert.deepEqual(peaksOf([1, 2], [null, 300], { leastMs: 100, apart: 7 }), [1])
})
