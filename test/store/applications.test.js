'use strict'

// Applications of one user that share a directory.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { createStore } = require('../../lib/observer/store/store')
const { artifact, filesIn, makeScratch } = require('./scratch')

const HOUR_MS = 3_600_000
const SHOP = { appName: 'shop', appRoot: '/srv/shop' }
const OTHER = { appName: 'shop', appRoot: '/srv/shop-of-others' }

function create (dir, application, { now, ...retention } = {}) {
  return createStore({ dir, application, retention: { minFreeBytes: 0, ...retention }, now })
}

const names = store => store.list().map(({ name }) => name)

test('an application sees and removes its own artifacts and those of its earlier runs, and none of a neighbour of the same name', t => {
  const dir = makeScratch(t)
  const [shop, other] = [create(dir, SHOP), create(dir, OTHER)]
  const { name } = shop.write(artifact())
  assert.deepEqual(names(create(dir, { ...SHOP })), [name], 'an earlier run, or a sibling that is alive')
  assert.deepEqual(names(other), [])
  assert.equal(other.remove(name), false)
  const place = shop.reserve({ kind: 'heap-snapshot', extension: 'heapsnapshot', at: Date.now(), appName: 'shop', bytesNeeded: 1 })
  place.commit({ pid: 7 })
  assert.deepEqual([shop.metadata(place.name), other.metadata(place.name)], [{ pid: 7 }, null])
  for (const file of filesIn(dir)) assert.equal(fs.statSync(file).mode & 0o777, 0o600)
})

test('count and bytes are limited for each application', t => {
  const dir = makeScratch(t)
  const [shop, other] = [create(dir, SHOP, { maxCount: 2 }), create(dir, OTHER, { maxCount: 1, maxBytes: 100 })]
  const kept = [2, 1].map(ago => shop.write(artifact({ at: Date.now() - ago * 1000, bytes: Buffer.alloc(60) })).name)
  for (const ago of [2, 1]) other.write(artifact({ at: Date.now() - ago * 1000, bytes: Buffer.alloc(60) }))
  assert.deepEqual(names(shop), kept.reverse())
  assert.equal(other.list().length, 1)
})

test('what an application kept longer than its limit is removed although it never comes back, and then its folder', t => {
  const dir = makeScratch(t)
  let now = Date.now()
  const gone = create(dir, OTHER, { maxAgeMs: HOUR_MS })
  const written = gone.write(artifact())
  const shop = create(dir, SHOP, { maxAgeMs: 1, now: () => now })
  shop.prepare()
  assert.deepEqual(names(gone), [written.name], 'its own limits hold for it, not ours')
  now += HOUR_MS + 1000
  shop.prepare()
  assert.deepEqual(names(gone), [])
  now += HOUR_MS
  shop.prepare()
  assert.equal(fs.existsSync(gone.dir), false)
})

test('files of a version without folders are listed for their user, and go by age', t => {
  const dir = makeScratch(t)
  let now = Date.now()
  const earlier = createStore({ dir, retention: { minFreeBytes: 0 } }).write(artifact())
  const shop = create(dir, SHOP, { maxCount: 1, maxAgeMs: HOUR_MS, now: () => now })
  const own = shop.write(artifact())
  assert.deepEqual(names(shop), [own.name])
  assert.deepEqual(shop.listAll().map(({ appName, appRoot, artifacts: [{ name }] }) => [appName, appRoot, name]), [['shop', '/srv/shop', own.name], [null, null, earlier.name]])
  now += HOUR_MS + 1000
  shop.prepare()
  assert.equal(fs.existsSync(earlier.path), false)
})

test('what a killed process left half-written is removed by the next process, also of another application', t => {
  const dir = makeScratch(t)
  const other = create(dir, OTHER)
  other.prepare()
  const left = path.join(other.dir, 'heap-snapshot-shop-20261120t120310123z-4194304-0001.raw.4194304.partial')
  for (const comes of [() => create(dir, SHOP).prepare(), () => create(dir, SHOP).write(artifact())]) {
    fs.writeFileSync(left, 'secret')
    comes()
    assert.equal(fs.existsSync(left), false)
  }
})

test('folders that are not loopscope\'s, and links, are left alone', t => {
  const dir = makeScratch(t)
  const elsewhere = makeScratch(t)
  const old = 'cpu-shop-20200101t000000000z-412-0001.cpuprofile'
  fs.writeFileSync(path.join(elsewhere, old), 'precious')
  fs.symlinkSync(elsewhere, path.join(dir, 'shop-0123456789ab'), 'junction')
  fs.mkdirSync(path.join(dir, 'control'))
  fs.writeFileSync(path.join(dir, 'control', old), 'precious')
  const shop = create(dir, SHOP)
  shop.write(artifact())
  assert.ok(fs.existsSync(path.join(elsewhere, old)) && fs.existsSync(path.join(dir, 'control', old)))
  assert.equal(shop.listAll().length, 1)
})
