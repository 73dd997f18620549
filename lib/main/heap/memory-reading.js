'use strict'

// How much memory the process has, and what V8 has done with it, at this moment. A few microseconds; nothing is collected.

function readMemory () {
  const v8 = process.getBuiltinModule('node:v8') // loaded by who asks
  const { rss, heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage()
  return {
    rssBytes: rss,
    heapUsedBytes: heapUsed,
    heapTotalBytes: heapTotal,
    heapLimitBytes: v8.getHeapStatistics().heap_size_limit,
    externalBytes: external,
    arrayBuffersBytes: arrayBuffers,
    spaces: v8.getHeapSpaceStatistics()
      .map(({ space_name: name, space_used_size: usedBytes, space_size: sizeBytes }) => ({ name, usedBytes, sizeBytes }))
  }
}

module.exports = { readMemory }
