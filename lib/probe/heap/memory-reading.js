'use strict'

// Reads the process's memory and V8's heap statistics now. It takes a few microseconds and triggers no collection.

const { memoryUsage } = require('../../base/system/resident-memory')

/** @typedef {ReturnType<typeof readMemory> & { workers: import('./worker-heaps').WorkerHeap[] }} MainMemory */

function readMemory () {
  const v8 = process.getBuiltinModule('node:v8') // loaded on use
  const usage = memoryUsage()
  const heap = v8.getHeapStatistics()
  return {
    rssBytes: usage?.rss ?? null,
    heapUsedBytes: heap.used_heap_size,
    heapTotalBytes: heap.total_heap_size,
    heapResidentBytes: heap.total_physical_size,
    heapLimitBytes: heap.heap_size_limit,
    externalBytes: heap.external_memory,
    arrayBuffersBytes: usage?.arrayBuffers ?? null,
    spaces: readSpaces()
  }
}

function readSpaces () {
  return process.getBuiltinModule('node:v8').getHeapSpaceStatistics()
    .map(({ space_name: name, space_used_size: usedBytes, space_size: sizeBytes }) => ({ name, usedBytes, sizeBytes }))
}

module.exports = { readMemory, readSpaces }
