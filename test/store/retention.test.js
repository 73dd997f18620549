'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { chooseEvictions, createLimits } = require('../../lib/observer/store/retention')
const { RETENTION: DEFAULTS } = require('../../lib/shared/store/defaults')

const NOW = 1_000_000
const ROOMY = { now: NOW, freeBytes: Infinity }
const NONE = { maxCount: 1000, maxBytes: Infinity, maxAgeMs: Infinity, minFreeBytes: 0 }

/** Ten bytes each, a second apart, 'a' the oldest. */
const KEPT = ['c', 'a', 'd', 'b'].map(name => ({ name, bytes: 10, at: NOW - 1000 * (101 - name.charCodeAt(0)) }))

function choose (limits, facts) {
  return chooseEvictions(KEPT, { ...NONE, ...limits }, { ...ROOMY, ...facts }).map(({ name, reason }) => `${name} ${reason}`)
}

test('each limit evicts the oldest, and no more than it takes', () => {
  assert.deepEqual(choose({}), [])
  assert.deepEqual(choose({ maxCount: 3 }), ['a count'])
  assert.deepEqual(choose({ maxBytes: 29 }), ['a bytes', 'b bytes'])
  assert.deepEqual(choose({ maxAgeMs: 2000 }), ['a age', 'b age'])
  assert.deepEqual(choose({ minFreeBytes: 100 }, { freeBytes: 75 }), ['a disk', 'b disk', 'c disk'])
})

test('what is dated in the future is as old as it is ahead: it neither stays for ever nor pushes out what is new', () => {
  const ahead = [{ name: 'x', bytes: 10, at: NOW + 1e12 }, { name: 'y', bytes: 10, at: NOW + 1500 }]
  const evict = limits => chooseEvictions([...KEPT, ...ahead], { ...NONE, ...limits }, ROOMY).map(({ name, reason }) => `${name} ${reason}`)
  assert.deepEqual(evict({ maxAgeMs: 1e6 }), ['x age'])
  assert.deepEqual(evict({ maxCount: 3 }), ['x count', 'a count', 'b count'])
  assert.deepEqual(evict({ maxAgeMs: 1e13 }), [])
})

test('what one limit evicts counts for the others', () => {
  assert.deepEqual(choose({ maxAgeMs: 3000, maxCount: 2, maxBytes: 10 }), ['a age', 'b count', 'c bytes'])
})

test('the artifact just written stays, even as the oldest and over every limit', () => {
  const strict = { maxCount: 1, maxBytes: 1, maxAgeMs: 1, minFreeBytes: 1000 }
  const names = choose(strict, { keep: 'a', freeBytes: 0 }).map(line => line[0])
  assert.deepEqual(names, ['b', 'c', 'd'])
})

test('limits have defaults, and the argument is not changed', () => {
  const mine = Object.freeze({ maxCount: 3, maxBytes: undefined })
  assert.deepEqual(createLimits(mine), { ...DEFAULTS, maxCount: 3 })
  assert.ok(Object.isFrozen(DEFAULTS))
})

test('unknown and impossible limits are refused by name', () => {
  assert.throws(() => createLimits(/** @type {any} */ ({ maxFiles: 3 })), { code: 'ERR_LOOPSCOPE_UNKNOWN_OPTION', message: /options\.retention\.maxFiles/ })
  for (const [name, value] of [['maxCount', 0], ['maxBytes', 1.5], ['maxAgeMs', '1h'], ['minFreeBytes', -1]]) {
    assert.throws(() => createLimits({ [name]: value }), { code: 'ERR_LOOPSCOPE_INVALID_OPTION', message: new RegExp(`options.retention.${name}`) })
  }
})
