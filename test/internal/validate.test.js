'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const validate = require('../../lib/base/validate')

const INVALID = 'ERR_LOOPSCOPE_INVALID_OPTION'

const CASES = [
  { check: 'assertInteger', wanted: [1, 10], good: [1, 10, 5], bad: [0, 11, 1.5, NaN, Infinity, '5', null, undefined, true, 5n], says: 'an integer from 1 to 10' },
  { check: 'assertNumberAbove', wanted: [0, 300], good: [0.001, 300], bad: [0, -1, 300.1, NaN, Infinity, '5', null, {}], says: 'a number above 0 and at most 300' },
  { check: 'assertBoolean', wanted: [], good: [true, false], bad: [0, 'true', null], says: 'true or false' },
  { check: 'assertString', wanted: [], good: ['a'], bad: ['', 5, null, ['a']], says: 'a non-empty string' },
  { check: 'assertOneOf', wanted: [['a', 'b']], good: ['a', 'b'], bad: ['c', '', 0, 'toString'], says: 'one of a, b' },
  { check: 'assertPlainObject', wanted: [], good: [{}, { a: 1 }], bad: [null, [], 'a', 5, undefined], says: 'an object' },
  { check: 'assertMethods', wanted: [['info']], good: [{ info () {} }, Object.assign(() => {}, { info () {} })], bad: [null, {}, { info: 1 }, 'a', undefined], says: 'an object with the methods info' }
]

for (const { check, wanted, good, bad, says } of CASES) {
  test(`${check} takes what fits and refuses the rest by name`, () => {
    for (const value of good) validate[check]('options.x', value, ...wanted)
    for (const value of bad) {
      assert.throws(() => validate[check]('options.x', value, ...wanted), error => {
        assert.equal(error.code, INVALID)
        assert.ok(error instanceof TypeError && error.message.startsWith(`options.x must be ${says}, got `), error.message)
        return true
      })
    }
  })
}

test('a key that is not known is named with those that are', () => {
  validate.assertKnownKeys('options', { a: 1 }, ['a', 'b'])
  assert.throws(() => validate.assertKnownKeys('options', { a: 1, c: 2 }, ['a', 'b']),
    { code: 'ERR_LOOPSCOPE_UNKNOWN_OPTION', message: 'options.c is not an option; valid options: a, b' })
})

test('what came is shown short, whatever it is', () => {
  const values = ['x'.repeat(1e6), { deep: { deeper: {} } }, Object.create(null), Symbol('s')]
  for (const value of values) {
    assert.throws(() => validate.refuse('options.x', 'a number', value), error => error.message.length < 200)
  }
})
