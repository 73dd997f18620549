'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { partsOf } = require('../../lib/browser/figures/request-time')

const request = changes => ({ durationMs: 500, ownMs: 0, behindMs: 0, gcMs: 0, waitingMs: 0, ...changes })

test('the parts of a request are shares of its time, without what took nothing', () => {
  const parts = partsOf(request({ ownMs: 100, behindMs: 350, gcMs: 0.2, waitingMs: 50 }))
  assert.deepEqual(parts.map(({ kind, share }) => [kind, share]), [['own', 0.2], ['behind', 0.7], ['waiting', 0.1]])
})

test('parts that are more than the whole fill it, and none are none', () => {
  assert.deepEqual(partsOf(request({ ownMs: 600, gcMs: 200 })).map(({ share }) => share), [0.75, 0.25])
  assert.deepEqual(partsOf(request({ durationMs: 0 })), [])
})
