'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const test = require('node:test')
const { createStore } = require('../../lib/observer/store/store')
const { makeScratch, mountScratch, artifact } = require('./scratch')

const KIB = 1024

test('refuses what does not fit, with the numbers, and keeps what is there', t => {
  const dir = mountScratch(t, 'size=64k')
  if (dir === null) return
  const store = createStore({ dir, retention: { minFreeBytes: 16 * KIB } })
  const { name } = store.write(artifact({ bytes: Buffer.alloc(16 * KIB) }))
  assert.throws(() => store.write(artifact({ bytes: Buffer.alloc(52 * KIB) })), {
    code: 'ERR_LOOPSCOPE_STORE_FULL',
    message: /refused to write 53248 bytes .* 49152 bytes are free, and retention\.minFreeBytes wants 16384 to be left/
  })
  assert.deepEqual(fs.readdirSync(dir), [name])
})

test('old artifacts make room for a new one', t => {
  const dir = mountScratch(t, 'size=64k')
  if (dir === null) return
  const store = createStore({ dir, retention: { minFreeBytes: 16 * KIB } })
  const now = Date.now() - 1000 // all in the past, however quick the machine
  const names = [0, 1, 2].map(index => store.write(artifact({ at: now + index, bytes: Buffer.alloc(16 * KIB) })).name)
  const { name } = store.write(artifact({ at: now + 3, bytes: Buffer.alloc(24 * KIB) }))
  assert.deepEqual(store.list().map(each => each.name), [name, names[2]])
  assert.equal(store.evictions().disk, 2)
})

test('a disk that fills up in the middle of a write leaves nothing half-written', t => {
  const dir = mountScratch(t, 'size=64k')
  if (dir === null) return
  // As file systems do that overstate what is free; the ENOSPC is the kernel's own.
  t.mock.method(fs, 'statfsSync', () => ({ bavail: 1e6, bsize: 4096 }))
  const store = createStore({ dir, retention: { minFreeBytes: 0 } })
  assert.throws(() => store.write(artifact({ bytes: Buffer.alloc(128 * KIB) })), {
    code: 'ERR_LOOPSCOPE_STORE_FULL',
    message: /refused to write 131072 bytes .*ENOSPC/
  })
  assert.deepEqual(fs.readdirSync(dir), [])
})

test('refuses an artifact above the limit of all bytes together before it looks at the disk', t => {
  const store = createStore({ dir: makeScratch(t), retention: { maxBytes: 100, minFreeBytes: 0 } })
  store.write(artifact({ bytes: Buffer.alloc(100) }))
  assert.throws(() => store.write(artifact({ bytes: Buffer.alloc(101) })), {
    code: 'ERR_LOOPSCOPE_STORE_FULL',
    message: /101 bytes .*retention\.maxBytes is 100/
  })
  assert.equal(store.list().length, 1)
})
