'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { fast } = require('../../bench/harness/statistics')

test('a fast round is one that a twentieth of the others is faster than, whatever slow ones there are', () => {
  const rounds = Array.from({ length: 100 }, (_, at) => 100 + at)
  assert.equal(fast(rounds.toReversed()), 105)
  assert.equal(fast(rounds.map(ns => ns > 150 ? ns * 1000 : ns)), 105)
})

test('of a few rounds the fastest is taken', () => {
  assert.equal(fast([3, 1, 2]), 1)
})
