'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { culpritFromStacks } = require('../../lib/observer/stalls/culprit/culprit-from-stacks')
const { deepFreeze } = require('../recorder/crafted')

const BEGINS = Object.freeze({ serve: 11, fillCache: 21, other: 31, next: 41, clone: 51 })

const builtin = (receiver, name) => ({ name, receiver, file: '', line: 0, column: 0, functionLine: 0, functionColumn: 0 })
const ofNode = name => ({ name, receiver: '', file: 'node:events', line: 0, column: 0, functionLine: 0, functionColumn: 0 })

/** It stands two lines after its beginning; 'dep:' begins a dependency's. */
function call (name, { line, column = 5, file = name.startsWith('dep:') ? 'node_modules/express/lib/router.js' : 'app.js' } = {}) {
  const bare = name.replace('dep:', '')
  const begins = BEGINS[bare] ?? 61
  return { name: bare, receiver: '', file, line: line ?? begins + 2, column, functionLine: begins, functionColumn: 1 }
}

/** Innermost first, below what called it. */
const inside = (...calls) => [...calls, call('serve'), call('dep:next'), ofNode('emit')]
const FILLING = inside(call('fillCache'))

function foundBy (stacks, { everyMs = 50, source } = {}) {
  return culpritFromStacks(deepFreeze(stacks.map((stack, index) => ({ atMicros: 9e6 + index * everyMs * 1e3, stack }))), { appRoot: '/app', source })
}

test('the function that three probes apart were in is named, with its line, and its stack is shown', () => {
  const { culprit, stack } = foundBy([FILLING, FILLING, FILLING])
  assert.deepEqual(culprit, { function: 'fillCache', file: 'app.js', line: 23, column: 5, functionLine: 21, call: null, via: null, share: 1 })
  assert.deepEqual(stack.map(frame => frame.function), ['fillCache', 'serve', 'next', 'emit'])
})

test('probes that were answered at the same moment are one', () => {
  assert.equal(foundBy([FILLING, FILLING]), null)
  assert.equal(foundBy(Array(9).fill(FILLING), { everyMs: 0.1 }), null)
  assert.equal(foundBy(Array(5).fill(FILLING), { everyMs: 5 }).culprit.function, 'fillCache')
  assert.equal(foundBy(Array(4).fill(FILLING), { everyMs: 5 }), null)
})

test('one look that shows somebody else, or nobody, and none is named', () => {
  for (const stack of [inside(call('other')), inside(), inside(call('other'), call('fillCache')), [ofNode('emit')]]) {
    assert.equal(foundBy([FILLING, FILLING, FILLING, FILLING, stack]), null)
  }
  assert.equal(foundBy(['a.js', 'b.js', 'c.js'].map(file => inside(call('fillCache', { file })))), null)
})

test('a function of the same name on the same line is another one', () => {
  const minified = column => inside({ ...call('e', { line: 1, column: column + 60 }), functionLine: 1, functionColumn: column })
  assert.equal(foundBy([minified(100), minified(900), minified(1700)]), null)
  assert.equal(foundBy([minified(100), minified(100), minified(100)]).culprit.function, 'e')
})

test('the culprit is the caller of a dependency, not the dependency', () => {
  const dependency = [call('dep:clone'), call('dep:next'), ofNode('emit')]
  assert.equal(foundBy([dependency, dependency, dependency]), null)
  const cloning = inside(call('dep:clone'), call('fillCache'))
  const { culprit } = foundBy([cloning, cloning, cloning])
  assert.deepEqual([culprit.function, culprit.via], ['fillCache', { package: 'express', function: 'clone', through: null }])
})

test('callers may differ, and the builtin that it was in is its call', () => {
  const sorting = caller => [builtin('Array', 'sort'), call('fillCache'), call(caller)]
  const { culprit } = foundBy([sorting('serve'), sorting('other'), sorting('dep:next')])
  assert.deepEqual([culprit.function, culprit.call, culprit.share], ['fillCache', 'Array.sort', 1])
})

test('a function that was only about to begin did not cause the collection; its caller did', () => {
  const entering = inside(call('other', { line: BEGINS.other, column: 'function other '.length + 1 }), call('fillCache'))
  assert.equal(foundBy([entering, FILLING, entering]).culprit.function, 'fillCache')
  const onOneLine = inside(call('other', { line: BEGINS.other, column: 60 }), call('fillCache'))
  assert.equal(foundBy([onOneLine, FILLING, onOneLine]), null)
  assert.equal(foundBy([onOneLine, onOneLine, onOneLine]).culprit.function, 'other')
})

test('an anonymous callback is the function that it was written in', () => {
  const mapping = inside(call('', { line: 64 }), builtin('Array', 'map'), call('fillCache'))
  assert.equal(foundBy([mapping, FILLING, mapping]).culprit.function, 'fillCache')
})
