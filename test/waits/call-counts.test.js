'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { CallCounts } = require('../../lib/observer/counts')

const GET = { kind: 'redis', operation: 'GET', target: 'db:6379' }
const SET = { ...GET, operation: 'SET' }

test('calls are counted by name, with their errors and durations; names that come twice are the same', () => {
  const counts = new CallCounts()
  counts.add({ firstName: 0, names: [GET], calls: Float64Array.of(0, 2000, 1, 30_000) })
  counts.add({ firstName: 1, names: [SET], calls: Float64Array.of(0, 500) })
  counts.add({ firstName: 0, names: [GET, SET], calls: Float64Array.of(0, 7e6) })
  const [{ reading, ...call }, ...others] = counts.counts()
  assert.deepEqual([call, others], [{ ...GET, errors: 1 }, []])
  assert.deepEqual(reading.counts, [1, 2, 2, 3, 3, 3, 3, 3, 4])
  assert.ok(Math.abs(reading.sum - 7.0325) < 1e-9)
  assert.equal(counts.nameOf(1).operation, 'SET')
})

test('what has no name that is known is left out', () => {
  const counts = new CallCounts()
  counts.add({ firstName: 0, names: [], calls: Float64Array.of(8, 2000) })
  assert.deepEqual(counts.counts(), [])
  assert.equal(counts.nameOf(4), undefined)
})
