'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { judgeSurvival } = require('../../lib/observer/memory/sites/heap-sites')

const SECONDS = [30, 30, 30, 30, 30, 30]

/** @type {[string, number[], number, string][]} */
const CASES = [
  ['a leak', [900, 1100, 1000, 950, 1050, 1000], 90, 'stays'],
  ['a leak with few samples', [64, 0, 128, 64, 192, 64], 8, 'stays'],
  ['a leak of a job that runs now and then', [900, 1000, 0, 1000, 900, 0], 60, 'stays'],
  ['a cache with a limit: the older part is gone', [0, 0, 0, 0, 800, 1000], 30, 'temporary'],
  ['work in progress', [0, 0, 0, 0, 0, 1000], 20, 'temporary'],
  ['a cache that loses entries with time', [20, 60, 150, 400, 900, 1000], 120, 'temporary'],
  ['a warm-up', [5000, 300, 100, 50, 100, 100], 80, 'once'],
  ['too few samples', [64, 64, 0, 0, 64, 64], 4, 'young']
]

for (const [what, byBirth, samples, verdict] of CASES) {
  test(`${what}: ${verdict}`, () => assert.equal(judgeSurvival(byBirth, SECONDS, samples), verdict))
}

test('intervals of different length are compared by their time', () => {
  assert.equal(judgeSurvival([500, 500, 1000, 3000, 1000], [5, 5, 10, 30, 10], 90), 'stays')
})

test('too few intervals say nothing', () => {
  assert.equal(judgeSurvival([1000, 1000, 1000], [30, 30, 30], 90), 'young')
})
