'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { StallLog } = require('../../lib/shared/stalls/stall-log')
const { describeStall } = require('../../lib/shared/stalls/stall-line')

const CULPRIT = { function: 'login', file: 'routes/login.js', line: 12, column: 3, call: 'pbkdf2Sync', share: 0.98 }

function stallOf (facts) {
  return { at: 0, durationMs: 250, cause: 'code', route: null, culprit: null, stack: [], evidence: {}, ...facts }
}

test('the last 200 stalls are listed, newest first, and the list is the caller\'s own', () => {
  const log = new StallLog()
  assert.deepEqual(log.list(), [])
  for (let at = 0; at < 230; at++) log.add(stallOf({ at }))
  const list = log.list()
  assert.deepEqual([list.length, list[0].at, list[199].at], [200, 229, 30])
  list.length = 0
  assert.equal(log.list().length, 200)
})

test('totals know every cause from the start and outlive the list', () => {
  const log = new StallLog()
  assert.deepEqual(log.totals().map(({ cause, count }) => [cause, count]), [['code', 0], ['gc', 0], ['starved', 0], ['suspended', 0], ['unknown', 0]])
  for (let at = 0; at < 300; at++) log.add(stallOf({ cause: at % 3 === 0 ? 'gc' : 'code' }))
  const [code, gc, starved] = log.totals()
  assert.deepEqual([code, gc, starved], [
    { cause: 'code', count: 200, seconds: 50 }, { cause: 'gc', count: 100, seconds: 25 }, { cause: 'starved', count: 0, seconds: 0 }
  ])
  code.count = 0
  assert.equal(log.totals()[0].count, 200)
})

test('the time of each route is added up, of 101 and more under _other', () => {
  const log = new StallLog()
  for (const route of ['GET /a', null, 'GET /a']) log.add(stallOf({ route }))
  assert.deepEqual(log.routeTotals(), [{ route: 'GET /a', seconds: 0.5 }, { route: null, seconds: 0.25 }])
  for (let other = 0; other < 200; other++) log.add(stallOf({ route: `GET /${other}` }))
  log.add(stallOf({ route: 'GET /a' }))
  const totals = log.routeTotals()
  assert.equal(totals.length, 101)
  assert.deepEqual([totals[0], totals[100]], [{ route: 'GET /a', seconds: 0.75 }, { route: '_other', seconds: 25.5 }])
})

test('a stall reads as one line: how long, where, what, why', () => {
  assert.equal(describeStall(stallOf({ route: 'GET /login', culprit: CULPRIT })),
    'event loop stalled 250 ms in GET /login: pbkdf2Sync called by login (routes/login.js:12), cause code')
  assert.equal(describeStall(stallOf({ culprit: { ...CULPRIT, call: null } })),
    'event loop stalled 250 ms: login (routes/login.js:12), cause code')
  assert.equal(describeStall(stallOf({ cause: 'starved', route: 'GET /' })), 'event loop stalled 250 ms in GET /: starved')
})

test('one of which more is known takes the place of what was known, and counts once', () => {
  const log = new StallLog()
  for (const id of [1, 2, 3]) log.add({ id, cause: 'code', route: 'GET /', durationMs: 100 })
  assert.equal(log.replace({ id: 2, cause: 'code', route: 'GET /', durationMs: 100, culprit: 'written' }), true)
  assert.equal(log.replace({ id: 9 }), false)
  assert.deepEqual(log.list().map(({ id, culprit }) => [id, culprit]), [[3, undefined], [2, 'written'], [1, undefined]])
  assert.equal(log.find(2).culprit, 'written')
  assert.equal(log.totals().find(({ cause }) => cause === 'code').count, 3)
})
