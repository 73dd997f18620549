'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { RequestCounts } = require('../../lib/observer/counts')

test('requests are counted by endpoint and status, refusals by reason', () => {
  const counts = new RequestCounts()
  for (const code of [200, 200, 404]) counts.count({ name: 'request', endpoint: 'stalls', code })
  counts.count({ name: 'authFailure', reason: 'bad' })
  const { requests, refusals } = counts.counts()
  assert.deepEqual(requests, [{ endpoint: 'stalls', code: 200, count: 2 }, { endpoint: 'stalls', code: 404, count: 1 }])
  assert.deepEqual(refusals.find(({ reason }) => reason === 'bad'), { reason: 'bad', count: 1 })
  assert.deepEqual(refusals.length, 5)
})
