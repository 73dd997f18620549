'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { timeAround } = require('../../lib/cli/time-around')

const NOW = 1_000_000

/** A process with marks so many seconds ago, whose recorder holds the last minute. */
const known = (marks, recorder = { off: null, fromMs: NOW - 60_000 }) => ({
  at: NOW, recorder, marks: marks.map(([text, seconds]) => ({ text, at: NOW - seconds * 1e3 }))
})
const spanOf = (marks, text) => {
  const { mark, fromMs, toMs } = timeAround(known(marks), text)
  return [(mark.at - fromMs) / 1e3, (toMs - mark.at) / 1e3]
}

test('both sides are equally long, and as long as there is something of each', () => {
  assert.deepEqual(spanOf([['deploy', 20]], 'deploy'), [20, 20])
  assert.deepEqual(spanOf([['deploy', 50]], 'deploy'), [10, 10])
})

test('of several with one text the last is meant', () => {
  assert.deepEqual(spanOf([['deploy', 50], ['deploy', 5]], 'deploy'), [5, 5])
})

test('a mark that nobody made is refused, with those that there are', () => {
  const marks = Array.from({ length: 15 }, (_, index) => [`deploy ${index}`, 30 - index])
  assert.throws(() => timeAround(known(marks), 'deploy'), ({ code, message }) => {
    assert.equal(code, 'ERR_LOOPSCOPE_UNKNOWN_MARK')
    assert.match(message, /^there is no mark 'deploy'; marks of this process: 'deploy 5', .*'deploy 14'$/)
    return true
  })
  assert.throws(() => timeAround(known([]), 'deploy'), { message: /marks of this process: none$/ })
})

test('a mark without a second on either side is refused, with those that can be compared', () => {
  const marks = [['old', 300], ['good', 30], ['new', 0.2]]
  const code = 'ERR_LOOPSCOPE_MARK_OUT_OF_REACH'
  assert.throws(() => timeAround(known(marks), 'old'), { code, message: /'old': it is 300 s old, and the recorder holds the last 60 s; marks that can be compared: 'good'$/ })
  assert.throws(() => timeAround(known(marks), 'new'), { code, message: /'new': it was made just now; marks that can be compared: 'good'$/ })
  assert.throws(() => timeAround(known([['old', 300]]), 'old'), { code, message: /compared: none$/ })
})

test('without a recorder there is nothing to compare', () => {
  const code = 'ERR_LOOPSCOPE_RECORDER_OFF'
  assert.throws(() => timeAround(known([['a', 5]], { off: 'a debugger is connected', fromMs: null }), 'a'), { code, message: /a debugger is connected/ })
  assert.throws(() => timeAround(known([['a', 5]], { off: null, fromMs: null }), 'a'), { code })
})
