'use strict'

// Freed memory that stays in the process, and the allocator that keeps it.

const assert = require('node:assert/strict')
const test = require('node:test')
const { fragmentationOf, parseAllocator, readAllocator } = require('../../lib/observer/memory/fragmentation')
const { allocatorAdvice, keeperOf } = require('../../lib/shared/memory-owner')

const MB = 1e6
/** One point every ten seconds. @param {[freed: number, native: number][]} levels  megabytes */
const points = (levels, owner = 'buffers') => levels.map(([freed, native], at) => ({ at: at * 10_000, bytes: { [owner]: freed * MB, native: native * MB } }))
const times = (count, level) => Array.from({ length: count }, () => level)

test('what was freed and stays is fragmentation, once it has stayed for a minute', () => {
  assert.deepEqual(fragmentationOf(points([...times(3, [400, 40]), ...times(10, [100, 300])])), { freedBytes: 300 * MB, keptBytes: 260 * MB, ofHeapBytes: 0, sinceMs: 120_000 })
  assert.equal(fragmentationOf(points([...times(3, [400, 40]), ...times(4, [100, 300])])), null, 'not for a minute yet')
})

test('what was freed in the heap is kept by V8, whatever the allocator', () => {
  const ofHeap = fragmentationOf(points([...times(3, [400, 40]), ...times(10, [100, 300])], 'heap'))
  assert.equal(ofHeap?.ofHeapBytes, 260 * MB)
  assert.match(keeperOf(ofHeap, { name: 'glibc', arenaMax: null }).advice, /^V8 uses these pages of the heap again/)
  assert.match(keeperOf({ ...ofHeap, ofHeapBytes: 0 }, { name: 'glibc', arenaMax: null }).advice, /MALLOC_ARENA_MAX=2/)
})

test('memory that is given back, that native code uses, or that is little, is none', () => {
  assert.equal(fragmentationOf(points([...times(3, [400, 40]), ...times(10, [100, 60])])), null)
  assert.equal(fragmentationOf(points([...times(3, [400, 40]), ...times(10, [400, 300])])), null)
  assert.equal(fragmentationOf(points([...times(3, [100, 40]), ...times(10, [60, 80])])), null)
  assert.equal(fragmentationOf([]), null)
})

test('the allocator is recognized by its library, and glibc by its variable too', () => {
  const line = file => `7f0 r-xp 00000000 fe:00 1 ${file}\n`
  const libc = line('/usr/lib/x86_64-linux-gnu/libc.so.6')
  assert.deepEqual(parseAllocator(libc, ''), { name: 'glibc', arenaMax: null })
  assert.deepEqual(parseAllocator(line('/lib64/libc-2.31.so'), 'A=1\0MALLOC_ARENA_MAX=2\0'), { name: 'glibc', arenaMax: 2 })
  assert.deepEqual(parseAllocator(libc + line('/usr/lib/x86_64-linux-gnu/libjemalloc.so.2'), ''), { name: 'jemalloc', arenaMax: null })
  assert.deepEqual(parseAllocator(line('/lib/ld-musl-x86_64.so.1'), 'MALLOC_ARENA_MAX=x'), { name: 'musl', arenaMax: null })
  assert.match(allocatorAdvice({ name: 'glibc', arenaMax: null }), /MALLOC_ARENA_MAX=2, or preload jemalloc/)
  assert.match(allocatorAdvice({ name: 'jemalloc', arenaMax: null }), /runs with jemalloc already/)
  if (process.platform === 'linux') assert.notEqual(readAllocator().name, null)
})
