'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { addReading, perSecond } = require('../../lib/browser/figures/pace')

const after = readings => readings.reduce(addReading, [])

test('requests a second are those of the last five seconds', () => {
  const known = after([0, 100, 200, 300, 400, 500, 600, 700].map((answered, second) => ({ at: second * 1000, answered })))
  assert.equal(known.length, 6)
  assert.equal(perSecond(known), 100)
})

test('one reading says nothing, and neither does the same one again', () => {
  assert.equal(perSecond([]), null)
  assert.equal(perSecond(after([{ at: 1, answered: 5 }, { at: 1, answered: 5 }])), null)
})

test('after a long block the answer is of the time since', () => {
  assert.equal(perSecond(after([{ at: 0, answered: 0 }, { at: 1000, answered: 10 }, { at: 21_000, answered: 30 }, { at: 22_000, answered: 40 }])), 10)
})

test('another process begins anew', () => {
  assert.equal(perSecond(after([{ at: 0, answered: 50 }, { at: 1000, answered: 60 }, { at: 2000, answered: 3 }])), null)
})
