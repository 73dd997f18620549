'use strict'

// Divides the resident memory of the process among its owners. V8 counts what it has allocated, the system what is really in memory: the rows add up to
// what is in memory, and what neither knows is native memory. Pure.

/** @import { MemoryOwner } from '../../../types/memory' */
/** @import { ResidentMemory } from '../../base/system/resident-memory' */
/** @import { WorkerHeap } from '../../probe/heap/worker-heaps' */

/**
 * @typedef {object} MainFigures  of the main thread
 * @property {number} heapUsedBytes
 * @property {number} heapResidentBytes  of its heap, in use or not
 * @property {number} externalBytes      outside the heap, Buffers included
 * @property {number} buffersBytes
 *
 * @typedef {{ heapResidentBytes: number, externalBytes: number }} OwnFigures  of loopscope's observer thread
 */

/**
 * @param {object} figures
 * @param {ResidentMemory | null} figures.resident  null: the system does not report it
 * @param {MainFigures} figures.main
 * @param {OwnFigures} figures.own
 * @param {readonly Pick<WorkerHeap, 'name' | 'usedBytes' | 'committedBytes' | 'externalBytes'>[]} figures.workers
 * @returns {MemoryOwner[]} their bytes are the resident memory, where that is known, else what V8 counts
 */
function ownersOf ({ resident, main, own, workers }) {
  const { rssBytes, fileBytes, stackBytes } = resident ?? { rssBytes: Infinity, fileBytes: null, stackBytes: null }
  let left = rssBytes
  /** @type {MemoryOwner[]} */
  const owners = []
  /** @type {(owner: MemoryOwner['owner'], allocatedBytes: number, name?: string | null) => void} */
  const take = (owner, allocatedBytes, name = null) => {
    const bytes = Math.max(0, Math.min(left, allocatedBytes))
    left -= bytes
    owners.push({ owner, name, bytes, allocatedBytes })
  }
  const ends = (fileBytes ?? 0) + (stackBytes ?? 0)
  left -= ends
  take('heap', main.heapUsedBytes)
  for (const { name, usedBytes, committedBytes, externalBytes } of workers) {
    if (usedBytes !== null) take('worker', (committedBytes ?? usedBytes) + (externalBytes ?? 0), name)
  }
  take('loopscope', own.heapResidentBytes + own.externalBytes)
  take('buffers', main.buffersBytes)
  take('external', Math.max(0, main.externalBytes - main.buffersBytes))
  // Last: of the space that V8 keeps for new objects not all has been in memory.
  take('heap-free', Math.max(0, main.heapResidentBytes - main.heapUsedBytes))
  const native = left
  left += ends
  if (fileBytes !== null) take('code', fileBytes)
  if (stackBytes !== null) take('stacks', stackBytes)
  if (resident !== null) owners.push({ owner: 'native', name: null, bytes: native, allocatedBytes: null })
  return owners
}

/**
 * V8 does not count the pages that it keeps of a heap that was larger: they are the heap's all the same.
 * @param {MemoryOwner[]} owners
 * @param {number} bytes  of these pages, at least
 * @returns {MemoryOwner[]} without them in native memory
 */
function withKeptPages (owners, bytes) {
  const moved = Math.min(bytes, owners.find(({ owner }) => owner === 'native')?.bytes ?? 0)
  const changes = new Map([['native', -moved], ['heap-free', moved]])
  return owners.map(one => ({ ...one, bytes: one.bytes + (changes.get(one.owner) ?? 0) }))
}

/**
 * @param {readonly Pick<MemoryOwner, 'owner' | 'bytes'>[]} owners
 * @returns {Map<MemoryOwner['owner'], number>} their bytes; all workers are one owner
 */
function sumByOwner (owners) {
  /** @type {Map<MemoryOwner['owner'], number>} */
  const sums = new Map()
  for (const { owner, bytes } of owners) sums.set(owner, (sums.get(owner) ?? 0) + bytes)
  return sums
}

module.exports = { ownersOf, sumByOwner, withKeptPages }
