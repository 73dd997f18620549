'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { createStore } = require('../../lib/observer/store/store')
const { makeScratch, artifact } = require('./scratch')

const DAY_MS = 86_400_000

test('lists newest first, by the time in the artifacts and not by when they were written', t => {
  const store = createStore({ dir: makeScratch(t), retention: { minFreeBytes: 0 } })
  const now = Date.now()
  const written = [2000, 0, 3000, 1000].map(ago => store.write(artifact({ at: now - ago, bytes: Buffer.alloc(ago) })))
  const expected = [1, 3, 0, 2].map(index => ({ ...written[index], kind: 'cpu', at: now - written[index].bytes }))
  assert.deepEqual(store.list(), expected)
})

test('neither lists nor removes files of other people', t => {
  const dir = makeScratch(t)
  const store = createStore({ dir, retention: { minFreeBytes: 0, maxCount: 1, maxAgeMs: 1000 } })
  const old = 'cpu-shop-20200101t000000000z-412-0001.cpuprofile'
  const foreign = ['notes.txt', 'Heap.20200101.120000.1.0.001.heapsnapshot', 'profile.412.partial', `${old}.bak`]
  for (const name of foreign) fs.writeFileSync(path.join(dir, name), 'precious')
  fs.mkdirSync(path.join(dir, old))
  store.prepare()
  const { name } = store.write(artifact())
  for (const other of [...foreign, '..', `../${path.basename(dir)}/notes.txt`]) assert.equal(store.remove(other), false)
  assert.deepEqual(store.list().map(each => each.name), [name])
  assert.deepEqual(fs.readdirSync(dir).sort(), [...foreign, old, name].sort())
})

test('does not follow a symbolic link with the name of an artifact', t => {
  const dir = makeScratch(t)
  const store = createStore({ dir: path.join(dir, 'captures'), retention: { minFreeBytes: 0 } })
  store.prepare()
  fs.writeFileSync(path.join(dir, 'secret'), 'secret')
  try {
    fs.symlinkSync(path.join(dir, 'secret'), path.join(store.dir, 'cpu-shop-20261120t120310123z-412-0001.cpuprofile'))
  } catch (error) {
    return t.skip(`cannot make a symbolic link here: ${error.message}`)
  }
  assert.deepEqual(store.list(), [])
})

test('removes an artifact once', t => {
  const store = createStore({ dir: makeScratch(t), retention: { minFreeBytes: 0, maxAgeMs: DAY_MS } })
  const { name, path: file } = store.write(artifact())
  assert.equal(store.remove(name), true)
  assert.equal(fs.existsSync(file), false)
  assert.equal(store.remove(name), false)
  assert.deepEqual(store.evictions(), { count: 0, bytes: 0, age: 0, disk: 0 })
})
