'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { createStore } = require('../../lib/observer/store/store')
const { makeScratch, artifact } = require('./scratch')

const retention = { minFreeBytes: 0 }

test('writes all bytes to a private file whose name describes it', t => {
  const store = createStore({ dir: makeScratch(t), retention })
  const bytes = Buffer.alloc(40 * 1024 ** 2, 'several chunks, and not a whole number of them;')
  const written = store.write(artifact({ bytes, kind: 'heap-snapshot', extension: 'heapsnapshot', appName: '@acme/shop' }))
  assert.equal(written.bytes, bytes.length)
  assert.equal(written.path, path.join(store.dir, written.name))
  assert.match(written.name, /^heap-snapshot-acme_shop-\d{8}t\d{9}z-\d+-\d+\.heapsnapshot$/)
  assert.ok(fs.readFileSync(written.path).equals(bytes))
  assert.deepEqual(fs.readdirSync(store.dir), [written.name])
})

test('files are 0600 whatever the umask', { skip: process.platform === 'win32' && 'Windows has no such modes' }, t => {
  const store = createStore({ dir: makeScratch(t), retention })
  for (const umask of [0o000, 0o777]) {
    const before = process.umask(umask)
    try {
      const { path: file } = store.write(artifact())
      assert.equal((fs.statSync(file).mode & 0o7777).toString(8), '600')
    } finally {
      process.umask(before)
    }
  }
})

test('two stores of one process never take each other\'s name', t => {
  const dir = makeScratch(t)
  const at = Date.now()
  const texts = ['first', 'second', 'third', 'fourth']
  const stores = [createStore({ dir, retention }), createStore({ dir, retention })]
  const paths = texts.map((text, index) => stores[index % 2].write(artifact({ at, bytes: Buffer.from(text) })).path)
  assert.deepEqual(paths.map(file => fs.readFileSync(file, 'utf8')), texts)
})

test('makes the directory again when a cleaner of temporary files took it', t => {
  const store = createStore({ dir: path.join(makeScratch(t), 'captures'), retention })
  store.prepare()
  fs.rmdirSync(store.dir)
  assert.deepEqual(store.list(), [])
  assert.ok(fs.existsSync(store.write(artifact()).path))
})

test('a write that fails at its last step leaves nothing behind', t => {
  const store = createStore({ dir: makeScratch(t), retention })
  const rename = t.mock.method(fs, 'renameSync', () => { throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }) })
  assert.throws(() => store.write(artifact()), { code: 'ERR_LOOPSCOPE_STORE_UNWRITABLE', message: /EIO/ })
  rename.mock.restore()
  assert.deepEqual(fs.readdirSync(store.dir), [])
})

test('wrong options and contents are refused by name', t => {
  const dir = makeScratch(t)
  assert.throws(() => createStore({ dir: '' }), { code: 'ERR_LOOPSCOPE_INVALID_OPTION', message: /options\.dir/ })
  assert.throws(() => createStore(/** @type {any} */ ({ dir, directory: dir })), { code: 'ERR_LOOPSCOPE_UNKNOWN_OPTION' })
  for (const wrong of [{ bytes: 'text' }, { kind: '../x' }, { at: 'now' }]) {
    assert.throws(() => createStore({ dir, retention }).write(artifact(wrong)), { code: 'ERR_LOOPSCOPE_INVALID_OPTION' })
  }
  assert.deepEqual(fs.readdirSync(dir), [])
})
