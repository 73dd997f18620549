'use strict'

// What a heap snapshot will cost: memory, disk and how long the process stands still, from what V8 says of the heap before
// and from what the previous snapshot cost. Pure; what it predicts is what a heap of that size costs at worst, not on average.

const MB = 1e6
const KIB = 1024

// Peak memory, fitted to 20 heaps of Node.js 22 within 10 % (WeakMaps: 19 % too low), checked on 20 and 26. The names are
// those V8 makes for slots of arrays and hash tables: it keeps each in a buffer of 1 KiB.
const BASE_BYTES = 25 * MB // 10 of it for the thread that reads the file
const BYTES_PER_NODE = 130
const BYTES_PER_EDGE = 32
const BYTES_PER_NAME = 1.14 * KIB

// Where no snapshot was taken before: the densest of heaps that were measured, small objects in small arrays. Typical is less
// than half of it (12,000 and 52,000).
const NODES_PER_MB = 30_000
const EDGES_PER_MB = 100_000
const SLOT_NAMES = 16_000 // the most slots a table has that is not in the large object space (128 KiB at 8 bytes)
const BYTES_PER_SLOT = 8

const FILE_BYTES_PER_NODE = 100 // 86 to 102, depending on the version
const PAUSE_MS_PER_MB = 100 // measured 50 to 120, and 190 under CPU contention
const MARGIN = 1.25 // on top of what the previous snapshot cost

/** Neither grows the number of nodes by its size: few large things, and V8's own read-only ones, which are not counted twice. */
const UNCOUNTED = new Set(['large_object_space', 'new_large_object_space', 'read_only_space', 'shared_large_object_space'])

/**
 * @typedef {object} HeapReading
 * @property {number | null} rssBytes  null: it cannot be read
 * @property {number} heapTotalBytes
 * @property {number} externalBytes
 * @property {{ name: string, usedBytes: number }[]} spaces
 *
 * @typedef {object} PreviousSnapshot  of a snapshot that was taken
 * @property {HeapReading} before
 * @property {HeapReading} after  a full collection preceded it: its heap is what the snapshot holds
 * @property {number} nodes
 * @property {number} edges
 * @property {number} names   that V8 generated
 * @property {number} fileBytes
 * @property {number} pauseMs
 *
 * @typedef {object} Estimate
 * @property {number} memoryBytes   more than now, at the peak
 * @property {number} reusableBytes  of these: left by the snapshot before, still counted as this process's
 * @property {number} fileBytes
 * @property {number} pauseMs
 * @property {string} basis
 */

/**
 * @param {HeapReading} reading  now
 * @param {PreviousSnapshot | null} previous
 * @param {number[]} [pausesMsPerMb]  of earlier snapshots on this machine, of other processes
 * @returns {Estimate}
 */
function estimate (reading, previous, pausesMsPerMb = []) {
  const { nodes, edges, names, fileBytes, pauseMs } = previous === null ? fromSize(reading, pausesMsPerMb) : fromPrevious(reading, previous)
  return {
    memoryBytes: Math.round(BASE_BYTES + BYTES_PER_NODE * nodes + BYTES_PER_EDGE * edges + BYTES_PER_NAME * names),
    reusableBytes: previous === null ? 0 : reusable(reading, previous),
    fileBytes: Math.round(fileBytes),
    pauseMs: Math.round(pauseMs),
    basis: previous === null ? 'the size of the heap, at the density of a heap of small objects' : 'the density of the snapshot before'
  }
}

/**
 * What others are told of a snapshot's pause.
 * @param {Pick<PreviousSnapshot, 'after' | 'pauseMs'>} previous
 */
function pauseMsPerMb ({ after, pauseMs }) {
  return Math.round(pauseMs / (countedBytes(after) / MB))
}

/**
 * @param {HeapReading} reading
 * @param {number[]} pausesMsPerMb
 */
function fromSize (reading, pausesMsPerMb) {
  const sizeMb = countedBytes(reading) / MB
  const nodes = sizeMb * NODES_PER_MB
  return {
    nodes,
    edges: sizeMb * EDGES_PER_MB,
    names: SLOT_NAMES + largeBytes(reading) / BYTES_PER_SLOT,
    fileBytes: nodes * FILE_BYTES_PER_NODE,
    pauseMs: sizeMb * (pausesMsPerMb.length === 0 ? PAUSE_MS_PER_MB : Math.max(...pausesMsPerMb) * MARGIN)
  }
}

/**
 * @param {HeapReading} reading
 * @param {PreviousSnapshot} previous
 */
function fromPrevious (reading, { after, nodes, edges, names, fileBytes, pauseMs }) {
  const grown = Math.max(1, countedBytes(reading) / countedBytes(after)) * MARGIN
  // One table that doubled its slots doubles the names, however little the rest of the heap has grown.
  const grownLarge = Math.max(grown, largeBytes(reading) / Math.max(1, largeBytes(after)))
  const mostNames = SLOT_NAMES + largeBytes(reading) / BYTES_PER_SLOT
  return {
    nodes: nodes * grown,
    edges: edges * grown,
    names: Math.max(names * grown, Math.min(names * grownLarge, mostNames)),
    fileBytes: fileBytes * grown,
    pauseMs: pauseMs * grown
  }
}

/**
 * What the allocator kept of the snapshot before: resident, and not explained by a heap that has grown since.
 * @param {HeapReading} reading
 * @param {PreviousSnapshot} previous
 */
function reusable (reading, { before, after }) {
  if (reading.rssBytes === null || before.rssBytes === null || after.rssBytes === null) return 0
  const kept = after.rssBytes - before.rssBytes - (after.heapTotalBytes - before.heapTotalBytes)
  const unexplained = reading.rssBytes - before.rssBytes - (reading.heapTotalBytes - before.heapTotalBytes) -
    Math.max(0, reading.externalBytes - before.externalBytes)
  return Math.round(Math.max(0, Math.min(kept, unexplained)) / MARGIN)
}

/** @param {HeapReading} reading */
function countedBytes ({ spaces }) {
  return spaces.reduce((sum, { name, usedBytes }) => UNCOUNTED.has(name) ? sum : sum + usedBytes, 0)
}

/** @param {HeapReading} reading */
function largeBytes ({ spaces }) {
  const large = spaces.filter(({ name }) => name.endsWith('large_object_space') && !name.startsWith('code'))
  return large.reduce((sum, { usedBytes }) => sum + usedBytes, 0)
}

module.exports = { estimate, pauseMsPerMb }
