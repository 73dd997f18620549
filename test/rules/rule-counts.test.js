'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { RuleCounts } = require('../../lib/observer/counts')

test('actions are counted by rule and outcome', () => {
  const counts = new RuleCounts()
  assert.deepEqual(counts.counts(), [])
  counts.count('slow', 'done', 1)
  counts.count('slow', 'done', 2)
  counts.count('slow', 'limited', 2)
  assert.deepEqual(counts.counts(), [{ rule: 'slow', outcome: 'done', actions: 3 }, { rule: 'slow', outcome: 'limited', actions: 2 }])
})
