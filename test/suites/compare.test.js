'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { compare } = require('./compare')

const result = (name, outcome) => ({ file: 'a.test.js', name, outcome })

test('runs that said the same do not differ, in whatever order', () => {
  assert.deepEqual(compare([result('a', 'pass'), result('b', 'fail')], [result('b', 'fail'), result('a', 'pass')]), [])
})

test('a test that swaps its outcome with another is found though the counts are equal', () => {
  const found = compare([result('a', 'pass'), result('b', 'fail')], [result('a', 'fail'), result('b', 'pass')])
  assert.deepEqual(found.map(({ name, without, with: ours }) => [name, without, ours]), [['a', 'pass', 'fail'], ['b', 'fail', 'pass']])
})

test('a test that is missing, or runs once instead of twice, is a difference', () => {
  assert.deepEqual(compare([result('a', 'pass')], []), [{ file: 'a.test.js', name: 'a', without: 'pass', with: 'absent' }])
  assert.equal(compare([result('a', 'pass'), result('a', 'pass')], [result('a', 'pass')]).length, 1)
})
