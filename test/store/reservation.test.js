'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { createStore } = require('../../lib/observer/store/store')
const { artifact, makeScratch, mountScratch } = require('./scratch')

const HOUR_MS = 3_600_000
const NO_PROC = !fs.existsSync('/proc/self/fd') && 'there is no /proc here'

function create (t, { dir = path.join(makeScratch(t), 'captures'), ...retention } = {}) {
  return createStore({ dir, retention: { minFreeBytes: 0, ...retention } })
}

function reserve (store, facts = {}) {
  return store.reserve({ kind: 'heap-snapshot', extension: 'heapsnapshot', at: Date.now(), appName: 'shop', bytesNeeded: 100, ...facts })
}

function keep (store, { bytes = 100, metadata = { pid: 1 }, ...facts } = {}) {
  const place = reserve(store, facts)
  fs.writeFileSync(place.partialPath, Buffer.alloc(bytes))
  return place.commit(metadata)
}

test('a file made in place becomes a private artifact with its facts beside it; until then there is none', t => {
  const store = create(t)
  const place = reserve(store)
  const { name, partialPath, scratch } = place
  fs.writeFileSync(scratch.path, 'to be left out')
  fs.rmSync(partialPath)
  fs.writeFileSync(partialPath, '{}', { mode: 0o644 })
  assert.deepEqual(store.list(), [])
  const kept = place.commit({ pid: 7 })
  assert.deepEqual(fs.readdirSync(store.dir).sort(), [name, `${name}.json`])
  assert.deepEqual(kept, { name, path: path.join(store.dir, name), bytes: 2 })
  assert.deepEqual(store.metadata(name), { pid: 7 })
  for (const file of fs.readdirSync(store.dir)) assert.equal(fs.statSync(path.join(store.dir, file)).mode & 0o777, 0o600)
  place.abandon()
  assert.equal(store.list().length, 1)
})

test('both files are private from the start, and abandoning leaves neither, however often', t => {
  const store = create(t)
  const place = reserve(store)
  for (const file of [place.partialPath, place.scratch.path]) assert.equal(fs.statSync(file).mode & 0o777, 0o600)
  assert.equal(place.explain(Object.assign(new Error('no space'), { code: 'ENOSPC' })).code, 'ERR_LOOPSCOPE_STORE_FULL')
  assert.equal(place.explain(new RangeError('else')).name, 'RangeError')
  place.abandon()
  fs.writeFileSync(place.partialPath, 'by somebody who was late')
  place.abandon()
  assert.deepEqual(fs.readdirSync(store.dir), [])
})

test('what must not be kept has no name from the start, and is gone when it is released', { skip: NO_PROC }, t => {
  const store = create(t)
  const place = reserve(store)
  fs.writeFileSync(place.scratch.path, 'secret')
  assert.equal(fs.readFileSync(place.scratch.path, 'utf8'), 'secret')
  assert.deepEqual(fs.readdirSync(store.dir), [path.basename(place.partialPath)])
  place.abandon()
  assert.throws(() => fs.readFileSync(place.scratch.path), { code: 'ENOENT' })
})

test('where a file without a name cannot be reached, it has a partial name and goes with the place', t => {
  const open = fs.openSync
  t.mock.method(fs, 'openSync', (file, ...more) => {
    if (file.startsWith('/proc/self/fd/')) throw Object.assign(new Error('EACCES'), { code: 'EACCES' })
    return open(file, ...more)
  })
  const store = create(t)
  const place = reserve(store)
  assert.match(place.scratch.path, /\.raw\.\d+\.partial$/)
  assert.equal(place.scratch.inode, null)
  assert.equal(fs.statSync(place.scratch.path).mode & 0o777, 0o600)
  place.abandon()
  assert.deepEqual(fs.readdirSync(store.dir), [])
})

test('what is half-written counts as bytes kept', t => {
  const store = create(t, { maxBytes: 1000 })
  const names = [3, 2, 1].map(ago => store.write(artifact({ at: Date.now() - ago * 1000, bytes: Buffer.alloc(200) })).name)
  const place = reserve(store)
  fs.writeFileSync(place.partialPath, Buffer.alloc(450))
  const { name } = store.write(artifact({ bytes: Buffer.alloc(200) }))
  assert.deepEqual(store.list().map(each => each.name), [name, names[2]])
  place.abandon()
})

test('every write clears what a process left that has died since', t => {
  const store = create(t)
  store.prepare()
  const left = path.join(store.dir, 'heap-snapshot-shop-20261120t120310123z-4194304-0001.raw.4194304.partial')
  for (const write of [() => store.write(artifact()), () => reserve(store).abandon()]) {
    fs.writeFileSync(left, 'secret')
    write()
    assert.equal(fs.existsSync(left), false)
  }
})

test('a directory that is removed meanwhile is named, and made again by the next', t => {
  const store = create(t)
  const place = reserve(store)
  fs.rmSync(store.dir, { recursive: true })
  const cause = Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT' })
  const explained = place.explain(cause)
  assert.deepEqual([explained.code, explained.cause], ['ERR_LOOPSCOPE_STORE_UNWRITABLE', cause])
  assert.ok(explained.message.includes(store.dir))
  place.abandon()
  assert.equal(place.explain(cause), cause, 'after it was given up there is nothing to explain')
  assert.ok(fs.existsSync(keep(store).path))
})

test('a commit that fails leaves nothing and reports the reason', t => {
  const store = create(t)
  const place = reserve(store)
  fs.rmSync(place.partialPath)
  assert.throws(() => place.commit({}), { code: 'ERR_LOOPSCOPE_STORE_UNWRITABLE' })
  assert.deepEqual(fs.readdirSync(store.dir), [])
})

test('facts go with their artifact, count as its bytes and are no artifact themselves', t => {
  const store = create(t, { maxBytes: 2500 })
  const metadata = { text: 'x'.repeat(1000) }
  const now = Date.now()
  const [first, second] = [keep(store, { at: now - 2000, metadata }), keep(store, { at: now - 1000, metadata })]
  assert.deepEqual(store.list().map(({ name }) => name), [second.name, first.name])
  const third = keep(store, { at: now, metadata })
  assert.deepEqual(fs.readdirSync(store.dir).sort(), [second.name, `${second.name}.json`, third.name, `${third.name}.json`].sort())
  assert.equal(store.remove(`${third.name}.json`), false)
  assert.equal(store.remove(third.name), true)
  assert.deepEqual(fs.readdirSync(store.dir).sort(), [second.name, `${second.name}.json`])
  assert.equal(store.metadata(third.name), null)
})

test('the next start clears what a dead process had under way, and facts without an artifact', t => {
  const store = create(t)
  const dead = 'heap-snapshot-shop-20261120t120310123z-4194304-0001'
  const left = [`${dead}.heapsnapshot.4194304.partial`, `${dead}.raw.4194304.partial`, `${dead}.heapsnapshot.json.4194304.partial`, `${dead}.heapsnapshot.json`]
  const place = reserve(store)
  const kept = keep(store)
  for (const name of left) fs.writeFileSync(path.join(store.dir, name), '{}')
  const others = ['package.json', 'notes.heapsnapshot.json']
  for (const name of others) fs.writeFileSync(path.join(store.dir, name), '{}')
  const old = (Date.now() - 2 * HOUR_MS) / 1000
  for (const name of [...left, ...others]) fs.utimesSync(path.join(store.dir, name), old, old)
  store.prepare()
  const expected = [...others, kept.name, `${kept.name}.json`, path.basename(place.partialPath)]
  assert.deepEqual(fs.readdirSync(store.dir).sort(), expected.sort())
  place.abandon()
})

test('room counts what removing older artifacts would free, and detects a disk that is memory', t => {
  const dir = mountScratch(t, 'size=1m')
  if (dir === null) return
  const store = create(t, { dir, minFreeBytes: 100_000 })
  const before = store.room()
  assert.deepEqual([before.isMemory, before.maxBytes, before.dir], [true, 1024 ** 3, dir])
  store.write(artifact({ bytes: Buffer.alloc(300_000) }))
  assert.ok(Math.abs(store.room().bytes - before.bytes) < 10_000)
  assert.throws(() => reserve(store, { bytesNeeded: 600_000, scratchBytes: 600_000 }), { code: 'ERR_LOOPSCOPE_STORE_FULL', message: /1200000 bytes/ })
  assert.equal(store.list().length, 1)
  reserve(store, { bytesNeeded: 400_000, scratchBytes: 400_000 }).abandon()
  assert.equal(store.list().length, 0, 'the older one made room')
})
