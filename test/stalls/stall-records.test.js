'use strict'

const test = require('node:test')
const v8 = require('node:v8')
const { runInNewContext } = require('node:vm')
const { setTimeout: sleep } = require('node:timers/promises')
const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { StallRecords } = require('../../lib/observer/stalls/stall-records')
const { profileOf } = require('../recorder/crafted')

v8.setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

function stallOf (facts) {
  return { id: 1, at: 0, durationMs: 250, cause: 'code', route: null, culprit: null, stack: [], evidence: {}, ...facts }
}

test('the last 200 stalls are listed, newest first, and the list is the caller\'s own', () => {
  const records = new StallRecords()
  assert.deepEqual(records.list(), [])
  for (let at = 0; at < 230; at++) records.add(stallOf({ at }))
  const list = records.list()
  assert.deepEqual([list.length, list[0].at, list[199].at], [200, 229, 30])
  list.length = 0
  assert.equal(records.list().length, 200)
})

test('totals have every cause from the start and outlive the list', () => {
  const records = new StallRecords()
  assert.deepEqual(records.counts().totals.map(({ cause, count }) => [cause, count]), [['code', 0], ['gc', 0], ['starved', 0], ['suspended', 0], ['unknown', 0]])
  for (let at = 0; at < 300; at++) records.add(stallOf({ cause: at % 3 === 0 ? 'gc' : 'code' }))
  const [code, gc, starved] = records.counts().totals
  assert.deepEqual([code, gc, starved], [
    { cause: 'code', count: 200, seconds: 50 }, { cause: 'gc', count: 100, seconds: 25 }, { cause: 'starved', count: 0, seconds: 0 }
  ])
  code.count = 0
  assert.equal(records.counts().totals[0].count, 200)
})

test('the time of each route is added up, of 101 and more under _other', () => {
  const records = new StallRecords()
  for (const route of ['GET /a', null, 'GET /a']) records.add(stallOf({ route }))
  assert.deepEqual(records.counts().routeTotals, [{ route: 'GET /a', seconds: 0.5 }, { route: null, seconds: 0.25 }])
  for (let other = 0; other < 200; other++) records.add(stallOf({ route: `GET /${other}` }))
  records.add(stallOf({ route: 'GET /a' }))
  const totals = records.counts().routeTotals
  assert.equal(totals.length, 101)
  assert.deepEqual([totals[0], totals[100]], [{ route: 'GET /a', seconds: 0.75 }, { route: '_other', seconds: 25.5 }])
})

test('one of which more is known takes the place of what was known, and counts once', () => {
  const records = new StallRecords()
  for (const id of [1, 2, 3]) records.add({ id, cause: 'code', route: 'GET /', durationMs: 100 })
  records.update(2, { culprit: 'written', stack: [] })
  records.update(9, { culprit: 'of none', stack: [] })
  assert.deepEqual(records.list().map(({ id, culprit }) => [id, culprit]), [[3, undefined], [2, 'written'], [1, undefined]])
  assert.equal(records.counts().totals.find(({ cause }) => cause === 'code').count, 3)
})

test('totals are by cause and by route, heaviest route first', () => {
  const records = new StallRecords()
  records.add(stallOf({ route: 'GET /a', durationMs: 100 }))
  records.add(stallOf({ route: 'GET /b', durationMs: 300, cause: 'gc' }))
  records.add(stallOf({ route: 'GET /a', durationMs: 150 }))
  const { stalls, totals: { count, blockedMs, byCause, byRoute } } = records.read()
  assert.deepEqual([stalls.length, count, blockedMs], [3, 3, 550])
  assert.deepEqual(byCause.filter(({ count }) => count > 0), [{ cause: 'code', count: 2, ms: 250 }, { cause: 'gc', count: 1, ms: 300 }])
  assert.deepEqual(byRoute, [{ route: 'GET /b', count: 1, ms: 300 }, { route: 'GET /a', count: 2, ms: 250 }])
})

test('routes are bounded: further ones are counted together', () => {
  const records = new StallRecords()
  for (let route = 0; route < 500; route++) records.add(stallOf({ route: `GET /${route}` }))
  const { byRoute } = records.read().totals
  assert.equal(byRoute.length, 101)
  assert.deepEqual(byRoute[0], { route: '_other', count: 400, ms: 100_000 })
})

test('the profile of a stall is given back as it was, until newer ones need the room', () => {
  const records = new StallRecords()
  const first = profileOf([[['login', 'node:pbkdf2Sync'], 300e3]])
  records.keepProfile(1, first)
  assert.deepEqual(records.profile(1), first)
  assert.equal(records.profile(2), null)
  // Names that do not compress: half a megabyte a profile.
  for (let id = 2; id <= 20; id++) {
    records.keepProfile(id, profileOf(Array.from({ length: 100 }, () => [[crypto.randomBytes(2600).toString('hex')], 10e3])))
  }
  assert.equal(records.profile(1), null)
  assert.equal(records.profile(20).samples.length, 100)
})

test('profiles take no more memory than they are counted for', async () => {
  const records = new StallRecords()
  collectGarbage()
  const before = process.memoryUsage().arrayBuffers
  const count = 1000
  for (let id = 1; id <= count; id++) records.keepProfile(id, profileOf([[['login', `handler${id}`], 300e3]]))
  const bytesOfOne = () => (process.memoryUsage().arrayBuffers - before) / count
  // V8 frees the memory of collected buffers beside the program, a while later.
  for (let tries = 0; tries < 100 && bytesOfOne() > 2000; tries++) {
    collectGarbage()
    await sleep(20)
  }
  assert.ok(bytesOfOne() < 2000, `${bytesOfOne().toFixed(0)} bytes for each of ${count} profiles of two functions`)
  assert.notEqual(records.profile(1), null)
})

test('a stall that lasts is shown with how long it has lasted, until it is over', async () => {
  const records = new StallRecords()
  let isStill = true
  const lasting = { at: Date.now() - 5000, durationMs: 5000, route: 'GET /', culprit: null, stack: [] }
  assert.equal(records.read().current, null)
  records.setLasting(lasting, () => isStill)
  await sleep(2) // and counts on from what it was when it was told
  const { current } = records.read()
  assert.equal(current.route, 'GET /')
  assert.ok(current.durationMs > 5000, `${current.durationMs} ms`)
  isStill = false
  assert.equal(records.read().current, null)
})
