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
