'use strict'

// How much memory the process has, and what V8 has done with it, at this moment. A few microseconds; nothing is collected.

const { memoryUsage } = require('../../base/system/resident-bytes')

function readMemory () {
  const v8 = process.getBuiltinModule('node:v8') // loaded by who asks
  const usage = memoryUsage()
  const heap = v8.getHeapStatistics()
  return {
    rssBytes: usage?.rss ?? null,
    heapUsedBytes: heap.used_heap_size,
    heapTotalBytes: heap.total_heap_size,
    heapLimitBytes: heap.heap_size_limit,
    externalBytes: heap.external_memory,
    arrayBuffersBytes: usage?.arrayBuffers ?? null,
    spaces: v8.getHeapSpaceStatistics()
      .map(({ space_name: name, space_used_size: usedBytes, space_size: sizeBytes }) => ({ name, usedBytes, sizeBytes }))
  }
}

module.exports = { readMemory }
