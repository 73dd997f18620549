'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { inOrder, slice, merge } = require('../../lib/observer/recorder/window')
const { readRecorded } = require('../fixtures/profiles/profiles')
const { assertValid, deepFreeze, microsByStack, profileOf } = require('./crafted')

function shifted (profile, micros) {
  return { ...profile, startTime: profile.startTime + micros, endTime: profile.endTime + micros }
}

function microsOf (profile, name) {
  let sum = 0
  for (const [stack, micros] of microsByStack(profile)) if (stack.includes(`/${name}@`)) sum += micros
  return sum
}

test('equal frames under equal parents become one node, the same frame elsewhere stays its own', () => {
  const first = deepFreeze(profileOf([[['serve', 'login'], 100], [['timer', 'login'], 100]], 1000))
  const second = deepFreeze(profileOf([[['serve', 'login'], 50], [['serve', 'login', 'native:hash'], 50]], 1200))
  const profile = merge([first, second])
  assertValid(profile)
  assert.equal(profile.nodes.filter(({ callFrame }) => callFrame.functionName === 'login').length, 2)
  assert.deepEqual(profile.nodes.map(({ hitCount }) => hitCount), [0, 0, 0, 2, 1, 1])
  assert.equal(microsOf(profile, 'serve'), 200)
  assert.equal(microsOf(profile, 'timer'), 100)
})

test('time in which nothing was recorded is idle', () => {
  const profile = merge([profileOf([[['a'], 100]], 1000), profileOf([[['b'], 100]], 5000)])
  assertValid(profile)
  assert.deepEqual([profile.startTime, profile.endTime], [1000, 5100])
  assert.deepEqual([microsOf(profile, 'a'), microsOf(profile, '(idle)'), microsOf(profile, 'b')], [100, 3900, 100])
})

test('V8\'s own idle node is used for the hole, not a second one', () => {
  const profile = merge([profileOf([[['(idle)'], 100]], 1000), profileOf([[['(idle)'], 100]], 5000)])
  assert.equal(profile.nodes.filter(({ callFrame }) => callFrame.functionName === '(idle)').length, 1)
  assert.equal(microsOf(profile, '(idle)'), 4100)
})

test('ticks by line of joined windows are added up', () => {
  const windows = [1000, 2000].map(start => profileOf([[['work'], 1000]], start))
  windows[0].nodes[1].positionTicks = [{ line: 3, ticks: 2 }]
  windows[1].nodes[1].positionTicks = [{ line: 3, ticks: 1 }, { line: 8, ticks: 5 }]
  const { nodes } = merge(deepFreeze(windows))
  assert.deepEqual(nodes[1].positionTicks, [{ line: 3, ticks: 3 }, { line: 8, ticks: 5 }])
})

for (const { name, profile } of readRecorded()) {
  test(`three windows of ${name} in a row are one valid profile with the time of all`, () => {
    const whole = inOrder(deepFreeze(profile))
    const length = whole.endTime - whole.startTime
    const windows = [0, 1, 2].map(index => shifted(whole, index * length))
    const joined = merge(windows)
    assertValid(joined)
    assert.deepEqual([joined.startTime, joined.endTime], [whole.startTime, whole.startTime + 3 * length])
    assert.equal(joined.nodes.length, merge([whole]).nodes.length)
    for (const handler of ['login', 'parseReport', 'fillHeap']) assert.equal(microsOf(joined, handler), 3 * microsOf(whole, handler))
  })

  test(`a view across windows of ${name} is exact where it was cut`, () => {
    const whole = inOrder(profile)
    const length = whole.endTime - whole.startTime
    const from = whole.startTime + Math.floor(length / 3)
    const to = whole.endTime + Math.floor(length / 3)
    const view = merge([slice(whole, from, to), slice(shifted(whole, length), from, to)])
    assertValid(view)
    assert.deepEqual([view.startTime, view.endTime], [from, to])
    for (const handler of ['login', 'parseReport', 'fillHeap']) assert.equal(microsOf(view, handler), microsOf(whole, handler))
  })
}
