'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { fast, isAtLeast, isAtMost, summarize } = require('../../bench/harness/statistics')

test('a fast round is one that a twentieth of the others is faster than, whatever slow ones there are', () => {
  const rounds = Array.from({ length: 100 }, (_, at) => 100 + at)
  assert.equal(fast(rounds.toReversed()), 105)
  assert.equal(fast(rounds.map(ns => ns > 150 ? ns * 1000 : ns)), 105)
})

test('of a few rounds the fastest is taken', () => {
  assert.equal(fast([3, 1, 2]), 1)
})

test('the median of what was measured lies between the ranks of the sign test, and between all of a few values', () => {
  const upTo = count => Array.from({ length: count }, (_, at) => at + 1).toReversed()
  const rangeOf = count => {
    const { low, high } = summarize(upTo(count))
    return [low, high]
  }
  assert.deepEqual([1, 3, 5, 6].map(rangeOf), [[1, 1], [1, 3], [1, 5], [1, 6]])
  assert.deepEqual([9, 12, 20, 25, 30].map(rangeOf), [[2, 8], [3, 10], [6, 15], [8, 18], [10, 21]], 'tables of the sign test have these')
})

test('a budget is missed where the median is beyond it by more than chance, and not decided where by less', () => {
  const around = middle => summarize([-3, -2, -1, 0, 1, 2, 3].map(step => middle + step))
  assert.deepEqual([9, 10, 12, 14].map(middle => isAtMost(around(middle), 10)), [true, true, null, false])
  assert.deepEqual([11, 10, 8, 6].map(middle => isAtLeast(around(middle), 10)), [true, true, null, false])
})
