'use strict'

// What the benchmarks may claim of their rounds.

const assert = require('node:assert/strict')
const test = require('node:test')
const { atMost, atMostRival, compare } = require('../../bench/harness/comparisons')
const { isDisturbed } = require('../../bench/harness/quiet')

const OFF = [100, 101, 102, 103, 104, 105, 106, 107, 108, 109]
const AGAIN = [100.5, 101.5, 102.5, 103.5, 104.5, 105.5, 106.5, 107.5, 108.5, 109.5]
const times = (values, factor) => values.map(value => value * factor)

test('a ratio that rounds of the same code have among themselves is no difference', () => {
  const same = compare(AGAIN, OFF, AGAIN)
  assert.equal(same.isSeen, false)
  assert.ok(same.noise.ofMedian.low < 1 && same.noise.ofMedian.high > 1)
})

test('a larger one is seen, by the minimum and by the median', () => {
  const twice = compare(times(OFF, 2), OFF, AGAIN)
  assert.equal(twice.isSeen, true)
  assert.equal(twice.byMinimum, 2)
  assert.ok(Math.abs(twice.byMedian - 2) < 0.02)
})

test('one side of the noise is enough: it may be quicker', () => {
  assert.equal(compare(times(OFF, 0.5), OFF, AGAIN).isSeen, true)
})

test('the same rounds have the same noise', () => {
  assert.deepEqual(compare(OFF, OFF, AGAIN), compare(OFF, OFF, AGAIN))
})

test('a budget is met, missed by more than the noise, or not decided', () => {
  const verdict = factor => atMost('', 1.02, compare(times(OFF, factor), OFF, AGAIN)).isMet
  assert.equal(verdict(1), true)
  assert.equal(verdict(1.025), null)
  assert.equal(verdict(1.5), false)
})

test('so is one that another case of the same run sets', () => {
  const against = factor => compare(times(OFF, factor), OFF, AGAIN)
  const verdict = factor => atMostRival('', against(factor), against(1.2)).isMet
  assert.equal(verdict(1.1), true)
  assert.equal(verdict(1.205), null)
  assert.equal(verdict(1.5), false)
  assert.equal(atMostRival('', { ...against(1.5), byMedian: 1.1 }, against(1.2)).isMet, null) // one of the two says nothing
})

test('a round is disturbed by others on its CPU or by the host, and not where the system does not show it', () => {
  assert.equal(isDisturbed({ foreign: 0.01, stolen: 0 }), false)
  assert.equal(isDisturbed({ foreign: 0.2, stolen: 0 }), true)
  assert.equal(isDisturbed({ foreign: 0, stolen: 0.2 }), true)
  assert.equal(isDisturbed(null), false)
})
