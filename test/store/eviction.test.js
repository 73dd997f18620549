'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const test = require('node:test')
const { createStore } = require('../../lib/observer/store/store')
const { makeScratch, artifact } = require('./scratch')

const HOUR_MS = 3_600_000

test('keeps the newest within count and bytes, and counts what went by reason', t => {
  const dir = makeScratch(t)
  const store = createStore({ dir, retention: { maxCount: 3, maxBytes: 250, minFreeBytes: 0 } })
  const now = Date.now()
  const write = (index, bytes) => store.write(artifact({ at: now + index, bytes: Buffer.alloc(bytes) })).name
  const names = [10, 20, 30, 40, 200].map((bytes, index) => write(index, bytes))
  assert.deepEqual(store.list().map(each => each.name), [names[4], names[3]])
  assert.deepEqual(store.evictions(), { count: 2, bytes: 1, age: 0, disk: 0 })
  assert.equal(fs.readdirSync(dir).length, 2)
})

test('keeps what an earlier process wrote within the same limits', t => {
  const dir = makeScratch(t)
  const retention = { maxCount: 2, minFreeBytes: 0 }
  const earlier = createStore({ dir, retention })
  earlier.write(artifact({ at: Date.now() - 2000 }))
  earlier.write(artifact({ at: Date.now() - 1000 }))
  const later = createStore({ dir, retention })
  later.write(artifact())
  assert.equal(later.list().length, 2)
  assert.deepEqual(later.evictions(), { count: 1, bytes: 0, age: 0, disk: 0 })
})

test('lets artifacts go by age at the next write', t => {
  let now = Date.now()
  const store = createStore({ dir: makeScratch(t), now: () => now, retention: { maxAgeMs: HOUR_MS, minFreeBytes: 0 } })
  store.write(artifact({ at: now }))
  now += HOUR_MS
  store.write(artifact({ at: now }))
  assert.equal(store.list().length, 2)
  now += 1
  store.write(artifact({ at: now }))
  assert.equal(store.list().length, 2)
  assert.equal(store.evictions().age, 1)
})

test('never evicts the artifact just written, even when it is the oldest', t => {
  const store = createStore({ dir: makeScratch(t), retention: { maxCount: 1, maxAgeMs: HOUR_MS, minFreeBytes: 0 } })
  store.write(artifact())
  const { name } = store.write(artifact({ at: Date.now() - 2 * HOUR_MS }))
  assert.deepEqual(store.list().map(each => each.name), [name])
})

test('an artifact that cannot be removed does not fail the write', t => {
  const store = createStore({ dir: makeScratch(t), retention: { maxCount: 1, minFreeBytes: 0 } })
  store.write(artifact())
  const unlink = t.mock.method(fs, 'unlinkSync', () => { throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' }) })
  store.write(artifact())
  assert.equal(store.list().length, 2)
  assert.equal(store.evictions().count, 0)
  unlink.mock.restore()
  store.write(artifact())
  assert.equal(store.list().length, 1)
  assert.equal(store.evictions().count, 2)
})
