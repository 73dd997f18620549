'use strict'

// Names the owners of memory for people. Pure; it requires nothing, because the page loads this file as a script (html-page.js).

/** @import { MemoryOwnerName } from '../../types/memory' */

/** @type {Readonly<Record<string, string>>} */
const OWNERS = Object.freeze({
  heap: 'JavaScript heap, in use',
  'heap-free': 'JavaScript heap, free but kept',
  worker: 'worker thread',
  loopscope: "loopscope's own thread",
  buffers: 'Buffers',
  external: 'other external memory',
  code: 'code and mapped files',
  stacks: 'thread stacks',
  native: 'native memory'
})

/** @param {MemoryOwnerName} owner @param {string | null} [name]  of a worker thread */
function ownerText (owner, name = null) {
  const text = Object.hasOwn(OWNERS, owner) ? OWNERS[owner] : owner
  return name === null ? text : `${text} ${name}`
}

/** What people do about memory that the allocator keeps. @param {import('../../types/memory').Allocator} allocator */
function allocatorAdvice ({ name, arenaMax }) {
  if (name === 'glibc' && arenaMax === null) return 'it runs with glibc, and MALLOC_ARENA_MAX is not set: start it with MALLOC_ARENA_MAX=2, or preload jemalloc (LD_PRELOAD)'
  if (name === 'glibc') return `it runs with glibc and MALLOC_ARENA_MAX=${arenaMax}: preload jemalloc (LD_PRELOAD), which gives memory back`
  if (name === 'musl') return 'it runs with musl: preload jemalloc (LD_PRELOAD), or use an image with glibc and MALLOC_ARENA_MAX=2'
  if (name === null) return 'people set MALLOC_ARENA_MAX=2 where glibc allocates, or preload jemalloc (LD_PRELOAD)'
  return `it runs with ${name} already: free fewer large objects at once, or accept it as the room for the next peak`
}

/**
 * Who keeps memory that was freed, and what to do about it.
 * @param {import('../../types/memory').MemoryFragmentation} fragmentation
 * @param {import('../../types/memory').Allocator} allocator
 */
function keeperOf ({ keptBytes, ofHeapBytes }, allocator) {
  if (ofHeapBytes < keptBytes / 2) return { isV8: false, name: 'the allocator', advice: allocatorAdvice(allocator) }
  return { isV8: true, name: 'V8', advice: 'V8 uses these pages of the heap again before it asks the system for more: nothing leaks; where the container is too small for it, lower the peak (smaller batches, streams). Settings of the allocator change nothing' }
}

module.exports = { allocatorAdvice, keeperOf, ownerText }
