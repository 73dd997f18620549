'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { BucketCounts } = require('../../lib/base/bucket-counts')

const BOUNDS = Object.freeze([1, 2, 5])

function countsOf (...values) {
  const counts = new BucketCounts(BOUNDS)
  for (const value of values) counts.observe(value)
  return counts
}

test('counts are cumulative, a bound itself is below it, and what is above all counts too', () => {
  assert.deepEqual(countsOf(0, 1, 1.5, 2, 5, 5.1, 99).read(), { bounds: BOUNDS, counts: [2, 4, 5], count: 7, sum: 113.6 })
  assert.deepEqual(countsOf().read(), { bounds: BOUNDS, counts: [0, 0, 0], count: 0, sum: 0 })
})

test('reading changes nothing, and the reading is the reader\'s own', () => {
  const counts = countsOf(1, 3)
  counts.read().counts.fill(99)
  assert.deepEqual(counts.read(), { bounds: BOUNDS, counts: [1, 1, 2], count: 2, sum: 4 })
})

test('a quantile lies where Prometheus puts it', () => {
  const counts = countsOf(0.5, 1.5, 1.5, 4)
  assert.equal(counts.quantile(0.25), 1)
  assert.equal(counts.quantile(0.5), 1.5)
  assert.equal(counts.quantile(0.75), 2)
  assert.equal(counts.quantile(1), 5)
})

test('without values, and above the highest bound, a quantile is still a number', () => {
  assert.equal(countsOf().quantile(0.99), 0)
  assert.equal(countsOf(99, 100).quantile(0.5), 5)
  assert.equal(countsOf(1.5).quantile(0), 0)
})
