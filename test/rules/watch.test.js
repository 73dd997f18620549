'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Watch } = require('../../lib/observer/rules/watch')
const { readingsOf, ruleOf } = require('./readings')

const SECOND = 1000

/** A watch that is shown memory at moments, with the moments at which it acted. */
function createSubject (given, act = async () => ({ outcome: 'done', problem: null, pauseMs: 600 * SECOND })) {
  const acted = []
  const rule = ruleOf({ when: { rssBytes: 100 }, ...given })
  const watch = new Watch({
    rule,
    act: async (_, firing) => {
      acted.push(firing)
      return act(firing)
    }
  })
  const see = async (second, rssBytes, more) => {
    watch.see(readingsOf({ nowMs: second * SECOND, at: second * SECOND, rssBytes, ...more }))
    await new Promise(setImmediate)
  }
  return { watch, see, seconds: () => acted.map(({ at }) => at / SECOND) }
}

test('conditions must have held for the time, without a break', async () => {
  const { see, seconds, watch } = createSubject({ forSeconds: 10 })
  for (const [second, bytes] of [[0, 200], [5, 200], [9, 50], [10, 200], [19, 200]]) await see(second, bytes)
  assert.deepEqual(seconds(), [])
  assert.equal(watch.status().heldSince, 10 * SECOND)
  await see(20, 200)
  assert.deepEqual(seconds(), [20])
})

test('what still holds acts again when its limits allow it, and asks them no earlier', async () => {
  const { see, seconds } = createSubject()
  for (const second of [0, 1, 599, 600]) await see(second, 200)
  assert.deepEqual(seconds(), [0, 600])
})

test('an unknown value neither begins nor ends it', async () => {
  const { see, seconds, watch } = createSubject({ when: { rssBytes: 100, finding: 'hot-json' }, forSeconds: 10 })
  const findings = [{ id: 'hot-json', share: 1, where: null }]
  await see(0, 200, { findings })
  await see(5, 200)
  await see(20, 200)
  assert.deepEqual(seconds(), [])
  await see(21, 200, { findings })
  assert.deepEqual(seconds(), [21])
  assert.deepEqual(watch.status().last.conditions, [{ name: 'rssBytes', value: 200, wanted: 100 }, { name: 'finding', value: 1, wanted: 'hot-json' }])
})

test('one firing at a time: what comes while a capture is made is not kept', async () => {
  let end
  const { see, seconds } = createSubject({}, () => new Promise(resolve => { end = () => resolve({ outcome: 'done', problem: null, pauseMs: 0 }) }))
  await see(0, 200)
  await see(1, 200)
  assert.deepEqual(seconds(), [0])
  end()
  await new Promise(setImmediate)
  await see(2, 200)
  assert.deepEqual(seconds(), [0, 2])
})

test('a limit for one culprit holds up no other', async () => {
  const { watch, see, seconds } = createSubject({ when: { stallMs: 1000 } })
  const stuck = async (second, name) => {
    watch.see(readingsOf({ nowMs: second * SECOND, at: second * SECOND, stall: { durationMs: 1000 } }), { culprit: { function: name, file: 'a.js', line: 1, column: 1 }, route: null })
    await new Promise(setImmediate)
  }
  await stuck(0, 'one')
  await stuck(1, 'other')
  await stuck(2, 'one')
  await see(3, 0)
  assert.deepEqual(seconds(), [0, 1])
})
