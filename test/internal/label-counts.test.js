'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { LabelCounts } = require('../../lib/base/label-counts')

test('each combination of labels is counted once', () => {
  const counts = new LabelCounts()
  assert.deepEqual(counts.list(), [])
  counts.add({ rule: 'slow', outcome: 'done' }, 1)
  counts.add({ rule: 'slow', outcome: 'done' }, 2)
  counts.add({ rule: 'slow', outcome: 'limited' }, 2)
  assert.deepEqual(counts.list(), [{ rule: 'slow', outcome: 'done', count: 3 }, { rule: 'slow', outcome: 'limited', count: 2 }])
})
