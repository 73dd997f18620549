'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { inOrder, slice, merge } = require('../../lib/observer/recorder/window')
const { readRecorded } = require('../fixtures/profiles/profiles')
const { assertValid, createRandom, deepFreeze, microsByStack, profileOf } = require('./crafted')

const ROUNDS = 200

test('a slice begins and ends exactly where it was cut, and the gaps at both ends are shared out', () => {
  const profile = deepFreeze(profileOf([[['a'], 100], [['b'], 200], [['c'], 300]], 1000))
  const piece = slice(profile, 1050, 1500)
  assert.deepEqual([piece.startTime, piece.endTime], [1050, 1500])
  assert.deepEqual(piece.timeDeltas, [50, 200, 200])
  assert.deepEqual(piece.samples, profile.samples)
  assert.deepEqual(slice(profile, 1000, 1300).timeDeltas, [100, 200]) // between two samples, which belong to the gaps that they end
})

test('a slice never reaches beyond its profile, and outside of it holds no time', () => {
  const profile = profileOf([[['a'], 100], [['b'], 200]], 1000)
  const all = slice(profile, 0, 9999)
  assert.deepEqual([all.startTime, all.endTime, all.timeDeltas], [1000, 1300, [100, 200]])
  for (const [from, to] of [[0, 500], [5000, 6000], [1100, 1100]]) {
    const none = slice(profile, from, to)
    assert.equal(none.endTime, none.startTime)
    assert.equal(microsByStack(none).size, 0)
  }
})

test('samples out of order are sorted without a negative delta and without losing time', () => {
  const profile = deepFreeze(profileOf([[['early'], 300], [['late'], 300], [['between'], -100], [['last'], 200]]))
  const sorted = inOrder(profile)
  assert.deepEqual(sorted.timeDeltas, [300, 200, 100, 100])
  assert.deepEqual(sorted.samples.map(id => profile.nodes[id - 1].callFrame.functionName), ['early', 'between', 'late', 'last'])
  assertValid({ ...sorted, nodes: profile.nodes })
})

test('a sample from before the profile began takes no time from the others', () => {
  const sorted = inOrder(profileOf([[['before'], -50], [['after'], 150]], 1000))
  assert.deepEqual(sorted.timeDeltas, [0, 100])
})

for (const { name, profile } of readRecorded()) {
  test(`any cut of ${name} is valid, exact and loses no time`, () => {
    const whole = inOrder(deepFreeze(profile))
    const random = createRandom(20)
    const length = whole.endTime - whole.startTime
    for (let round = 0; round < ROUNDS; round++) {
      const [a, b, c] = [random(), random(), random()].sort((left, right) => left - right)
        .map(share => whole.startTime + Math.floor(share * length))
      const pieces = [slice(whole, a, b), slice(whole, b, c)]
      for (const piece of pieces) assertValid(piece)
      assert.deepEqual([pieces[0].startTime, pieces[1].endTime], [a, c])
      const joined = merge(pieces)
      assertValid(joined)
      assert.deepEqual(microsByStack(joined), microsByStack(merge([slice(whole, a, c)])), `cut at ${a}, ${b}, ${c}`)
    }
  })
}
