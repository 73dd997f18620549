'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { readSyncCalls } = require('../../lib/observer/admin/admin-sources')
const { createSubject, unavailable } = require('./subject')

const SAMPLED = [{ api: 'fs.readFileSync', ms: 20 }]
const EXACT = { totals: [{ api: 'fs.readFileSync', calls: 3, totalMs: 20 }], exact: [{ api: 'fs.readFileSync', calls: 3 }], startUp: { totalMs: 0, sites: [] } }
const NOT_COUNTED = { totals: null, exact: null, startUp: null }
const POOL = { queued: 1, maxWaitMs: 60 }

/** What an observer has read, and a main thread that answers as it is told to. */
const partsOf = ({ hasExactCalls = false, isCurrent = true, readOrLast = unavailable } = {}) => ({
  application: { id: 1 },
  settings: { hasExactCalls },
  main: { readOrLast: async (...question) => readOrLast(...question) },
  windowReading: { readNow: async () => isCurrent },
  sampledCalls: { read: () => SAMPLED },
  poolWaits: { counts: () => POOL }
})

test('without the exact detector the observer answers by itself', async () => {
  const before = Date.now()
  const { at, ...answer } = await readSyncCalls(partsOf())
  assert.deepEqual(answer, { sampled: SAMPLED, ...NOT_COUNTED, pool: POOL, isStale: false })
  assert.ok(at >= before)
})

test('an open window that did not come in time makes it old', async () => {
  assert.equal((await readSyncCalls(partsOf({ isCurrent: false }))).isStale, true)
})

test('exact counts come from the main thread, and while that is stuck its last answer is used', async () => {
  const asked = []
  for (const isStale of [false, true]) {
    const readOrLast = (...question) => {
      asked.push(question)
      return { value: EXACT, at: 5, isStale }
    }
    assert.deepEqual(await readSyncCalls(partsOf({ hasExactCalls: true, readOrLast })), { sampled: SAMPLED, ...EXACT, pool: POOL, at: 5, isStale })
  }
  assert.deepEqual(asked, [['exactCalls', 1], ['exactCalls', 1]])
})

test('a main thread that never answered leaves what was sampled', async () => {
  const { sampled, exact, isStale } = await readSyncCalls(partsOf({ hasExactCalls: true }))
  assert.deepEqual([sampled, exact, isStale], [SAMPLED, null, true])
  await assert.rejects(readSyncCalls(partsOf({ hasExactCalls: true, readOrLast () { throw new Error('a fault') } })), { message: 'a fault' })
})

test('the route gives it as it is', async t => {
  const { ask } = createSubject(t)
  assert.deepEqual((await ask('/sync-calls')).value, { sampled: [], ...NOT_COUNTED, pool: { queued: 0, maxWaitMs: 0 }, at: 5, isStale: false })
})
