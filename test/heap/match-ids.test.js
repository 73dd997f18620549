'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { matchIds, NONE } = require('../../lib/heap-diff/comparison/match-ids')

const match = (before, after) => {
  const { again, isNew } = matchIds(Uint32Array.from(before), Uint32Array.from(after))
  return [[...again], [...isNew]]
}

test('finds by its id what both snapshots have', () => {
  assert.deepEqual(match([1, 7, 3, 2], [3, 9, 1, 4]), [[2, NONE, 0, NONE], [0, 1, 0, 1]])
})

test('finds the same where ids are far apart', () => {
  const far = 2 ** 32 - 1
  assert.deepEqual(match([1, far, 3, far - 5], [3, far, far - 2, 1]), [[3, 1, 0, NONE], [0, 0, 1, 0]])
})

test('an id that a file has twice is matched once', () => {
  assert.deepEqual(match([5, 5, 1], [5, 1])[0].filter(position => position === 0).length, 1)
  assert.deepEqual(match([5, 5, 2 ** 31], [5, 2 ** 31])[0].filter(position => position === 0).length, 1)
  assert.deepEqual(match([5], [1, 5, 5]), [[1], [1, 0, 1]])
})

test('one side may be empty', () => {
  assert.deepEqual(match([], [1, 2]), [[], [1, 1]])
  assert.deepEqual(match([1], []), [[NONE], []])
})
