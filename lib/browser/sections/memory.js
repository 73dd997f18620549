/* global loopscope */
'use strict'

// What the process has of memory, and whether its heap grows.

loopscope.memory = (() => {
  const { byId, duration } = loopscope.display
  const { showBytes } = loopscope.sizes
  const { tables } = loopscope

  function show (memory) {
    if (memory === null) return
    tables.show('memory', [
      { title: 'Space', cell: ({ name }) => name },
      { title: 'Used', className: 'number', cell: ({ usedBytes }) => showBytes(usedBytes) },
      { title: 'Reserved', className: 'number', cell: ({ sizeBytes }) => sizeBytes === null ? '' : showBytes(sizeBytes) }
    ], [
      { name: 'heap, all spaces', usedBytes: memory.heapUsedBytes, sizeBytes: memory.heapTotalBytes },
      ...memory.spaces.filter(({ sizeBytes }) => sizeBytes > 0),
      { name: 'external (buffers and native)', usedBytes: memory.externalBytes, sizeBytes: null }
    ], { empty: '' })
    byId('heap-trend').textContent = trendText(memory.trend)
  }

  function trendText (trend) {
    if (!trend) return 'Whether the heap grows is known where the application watches it: d.heap.watch().'
    if (trend.verdict === 'unknown') return `Heap after full collections: ${trend.points} seen in ${trend.minutes.toFixed(0)} min, too few to say.`
    const slope = `${trend.bytesPerMinute < 0 ? '-' : '+'}${showBytes(Math.abs(trend.bytesPerMinute))} a minute over ${trend.minutes.toFixed(0)} min`
    if (trend.verdict === 'flat') return `Heap after full collections does not grow (${slope}).`
    return `Heap after full collections grows: ${slope}, most in ${trend.spaces[0].name}; at its limit in about ${duration(trend.minutesToLimit * 60_000)}.`
  }

  return { show }
})()
