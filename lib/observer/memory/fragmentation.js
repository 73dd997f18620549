'use strict'

// Recognizes memory that was freed and stays in the process: what V8 counts has fallen, and native memory has risen by most of it, for a while; and
// the allocator that keeps it, or V8, which keeps pages of its heap for the next time.

const fs = require('node:fs')

/** @import { Allocator, MemoryFragmentation, MemoryPoint } from '../../../types/memory' */

const LEAST_BYTES = 64e6
const KEPT_SHARE = 0.5 // of what was freed
const LASTS_MS = 60_000 // the allocator and V8 give memory back with a delay

/** @type {readonly (keyof MemoryPoint['bytes'])[]} */
const HEAP = Object.freeze(['heap', 'heap-free'])
/** @type {readonly (keyof MemoryPoint['bytes'])[]} */
const OUTSIDE_HEAP = Object.freeze(['buffers', 'external', 'worker'])
const COUNTED = Object.freeze([...HEAP, ...OUTSIDE_HEAP])

/**
 * @param {readonly MemoryPoint[]} points  oldest first
 * @returns {MemoryFragmentation | null} null: there is none
 */
function fragmentationOf (points) {
  const last = points.at(-1)
  if (last === undefined) return null
  const peak = points.reduce((most, point) => bytesOf(point, COUNTED) > bytesOf(most, COUNTED) ? point : most)
  const after = points.filter(({ at }) => at >= last.at - LASTS_MS)
  if (peak.at > last.at - LASTS_MS || after.length < 3) return null
  const freed = after.map(point => bytesOf(peak, COUNTED) - bytesOf(point, COUNTED))
  const kept = after.map(point => nativeBytes(point) - nativeBytes(peak))
  const freedOutside = after.map(point => Math.max(0, bytesOf(peak, OUTSIDE_HEAP) - bytesOf(point, OUTSIDE_HEAP)))
  const [freedBytes, keptBytes] = [Math.min(...freed), Math.min(...kept)]
  if (freedBytes < LEAST_BYTES || keptBytes < freedBytes * KEPT_SHARE) return null
  // The heap is no memory of the allocator's: what was freed outside it cannot explain the rest.
  const ofHeapBytes = Math.max(0, Math.min(keptBytes, freedBytes) - Math.max(...freedOutside))
  return { freedBytes, keptBytes: Math.min(keptBytes, freedBytes), ofHeapBytes, sinceMs: last.at - peak.at }
}

/** @param {MemoryPoint} point @param {readonly (keyof MemoryPoint['bytes'])[]} owners */
function bytesOf ({ bytes }, owners) {
  return owners.reduce((sum, owner) => sum + (bytes[owner] ?? 0), 0)
}

/** @param {MemoryPoint} point */
function nativeBytes ({ bytes }) {
  return bytes.native ?? 0
}

// Which allocator the process runs with: by the libraries that are mapped, and the variable by which people limit the arenas of glibc.

const LIBRARIES = Object.freeze(/** @type {const} */ ([
  ['jemalloc', /libjemalloc[^/]*\.so/],
  ['tcmalloc', /libtcmalloc[^/]*\.so/],
  ['mimalloc', /libmimalloc[^/]*\.so/],
  ['musl', /ld-musl-[^/]*\.so|libc\.musl-[^/]*\.so/],
  ['glibc', /\/libc(?:-[\d.]+)?\.so/]
]))

/**
 * @param {string} maps  /proc/self/maps
 * @param {string} variables  /proc/self/environ: those with which the process was started, as the allocator read them
 * @returns {Allocator}
 */
function parseAllocator (maps, variables) {
  const [name = null] = LIBRARIES.find(([, pattern]) => pattern.test(maps)) ?? []
  const [, arenas] = /(?:^|\0)MALLOC_ARENA_MAX=(\d+)(?:\0|$)/.exec(variables) ?? []
  return { name, arenaMax: arenas === undefined ? null : Number(arenas) }
}

/** @returns {Allocator} */
function readAllocator () {
  try {
    return parseAllocator(fs.readFileSync('/proc/self/maps', 'latin1'), fs.readFileSync('/proc/self/environ', 'latin1'))
  } catch {
    return { name: null, arenaMax: null } // not Linux
  }
}

module.exports = { fragmentationOf, parseAllocator, readAllocator }
