'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Marks, MAX_MARKS, newMark } = require('../../lib/shared/marks')

const marksAt = (...times) => {
  const marks = new Marks()
  for (const at of times) marks.add({ at, text: `at ${at}` })
  return marks
}
const timesOf = marks => marks.map(({ at }) => at)

test('marks are in the order of their time, whichever came first, and the last hundred are kept', () => {
  assert.deepEqual(timesOf(marksAt(5, 1, 3).list()), [1, 3, 5])
  const many = marksAt(...Array.from({ length: MAX_MARKS + 20 }, (_, at) => at))
  assert.equal(many.list().length, MAX_MARKS)
  assert.equal(many.list()[0].at, 20)
})

test('a time has the marks in it, and the last one before it', () => {
  const marks = marksAt(10, 20, 30, 40)
  assert.deepEqual(timesOf(marks.around(25, 35)), [20, 30])
  assert.deepEqual(timesOf(marks.around(20, 30)), [10, 20, 30])
  assert.deepEqual(timesOf(marks.around(50, 60)), [40])
  assert.deepEqual(timesOf(marks.around(1, 5)), [])
  assert.deepEqual(timesOf(marks.around(1, 10)), [10])
})

test('a mark is text of 1 to 200 printable characters, and has the time at which it was made', () => {
  const before = Date.now()
  const { at, text } = newMark('Größe 42 → 43 🚀')
  assert.equal(text, 'Größe 42 → 43 🚀')
  assert.ok(at >= before && at <= Date.now())
  assert.equal(newMark('🚀'.repeat(200)).text.length, 400)
  for (const refused of ['', '   ', 'two\nlines', 'esc\u001b[31m', 'hidden\u202e', '\u2028', 'x'.repeat(201), 42, null, undefined, ['a']]) {
    assert.throws(() => newMark(refused), { code: 'ERR_LOOPSCOPE_INVALID_OPTION', message: /^mark must be a text of 1 to 200 printable characters/ })
  }
})
