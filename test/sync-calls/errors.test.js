'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { startDetector } = require('./started')

const OURS = path.join(__dirname, '..', '..', 'lib')

function catchError (call) {
  try {
    call()
  } catch (error) {
    return error
  }
  assert.fail('nothing was thrown')
}

test('an error of the application that passes through is the same object and keeps its own frames', t => {
  startDetector(t)
  const thrown = new RangeError('from toJSON')
  const error = catchError(() => JSON.stringify({ toJSON: function giveUp () { throw thrown } }))
  assert.equal(error, thrown)
  const late = catchError(() => JSON.stringify({ toJSON: function giveUp () { throw new RangeError('late') } }))
  assert.match(late.stack, /^RangeError: late\n\s+at Object\.giveUp/)
  assert.ok(!late.stack.includes(OURS), late.stack)
  assert.deepEqual(Object.keys(late), [])
})

test('an error without a usable stack passes through as it is', t => {
  startDetector(t)
  const frozen = Object.freeze(new Error('frozen'))
  const unreadable = Object.defineProperty(new Error('unreadable'), 'stack', { get () { throw new Error('no stack') } })
  for (const thrown of [frozen, unreadable, 'a text', null, undefined]) {
    let caught = 'nothing'
    try {
      JSON.stringify({ toJSON () { throw thrown } })
    } catch (error) {
      caught = error
    }
    assert.equal(caught, thrown)
  }
})

test('stacks that the application prepares itself have no frames of loopscope', t => {
  startDetector(t)
  const { prepareStackTrace } = Error
  t.after(() => { Error.prepareStackTrace = prepareStackTrace })
  Error.prepareStackTrace = (prepared, frames) => frames
  const { stack } = catchError(() => fs.statSync('/no/such/file'))
  assert.ok(Array.isArray(stack) && stack.length > 1)
  assert.deepEqual(stack.map(frame => frame.getFileName() ?? '').filter(file => file.startsWith(OURS)), [])
})

test('the settings of Error are the same after stacks were read', t => {
  const before = Object.getOwnPropertyDescriptors(Error)
  const detector = startDetector(t)
  fs.existsSync(__filename)
  assert.equal(detector.read().sites.length, 1)
  assert.deepEqual(Object.getOwnPropertyDescriptors(Error), before)
})
