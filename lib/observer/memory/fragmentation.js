'use strict'

// Recognizes memory that was freed and stays in the process: what V8 counts has fallen, and native memory has risen by most of it, for a while. Pure.

/** @import { MemoryFragmentation, MemoryPoint } from '../../../types/memory' */

const LEAST_BYTES = 64e6
const KEPT_SHARE = 0.5 // of what was freed
const LASTS_MS = 60_000 // the allocator and V8 give memory back with a delay

/** @type {readonly (keyof MemoryPoint['bytes'])[]} */
const COUNTED = Object.freeze(['heap', 'heap-free', 'buffers', 'external', 'worker'])

/**
 * @param {readonly MemoryPoint[]} points  oldest first
 * @returns {MemoryFragmentation | null} null: there is none
 */
function fragmentationOf (points) {
  const last = points.at(-1)
  if (last === undefined) return null
  const peak = points.reduce((most, point) => countedBytes(point) > countedBytes(most) ? point : most)
  const after = points.filter(({ at }) => at >= last.at - LASTS_MS)
  if (peak.at > last.at - LASTS_MS || after.length < 3) return null
  const freed = after.map(point => countedBytes(peak) - countedBytes(point))
  const kept = after.map(point => nativeBytes(point) - nativeBytes(peak))
  const [freedBytes, keptBytes] = [Math.min(...freed), Math.min(...kept)]
  if (freedBytes < LEAST_BYTES || keptBytes < freedBytes * KEPT_SHARE) return null
  return { freedBytes, keptBytes: Math.min(keptBytes, freedBytes), sinceMs: last.at - peak.at }
}

/** @param {MemoryPoint} point */
function countedBytes ({ bytes }) {
  return COUNTED.reduce((sum, owner) => sum + (bytes[owner] ?? 0), 0)
}

/** @param {MemoryPoint} point */
function nativeBytes ({ bytes }) {
  return bytes.native ?? 0
}

module.exports = { fragmentationOf }
