'use strict'

// What rules ask of the main thread.

const test = require('node:test')
const assert = require('node:assert/strict')
const { createLoopCounts } = require('../../lib/api/process-reading')

const loop = {
  time: { read: () => ({ active: 12, idle: 9988, utilization: 0.0012 }) },
  delay: { read: () => ({ bounds: [0.01], counts: [5], count: 5, sum: 0.01 }) }
}
const requests = { read: () => ({ durations: [{ status: 200, reading: { count: 3 } }, { status: 503, reading: { count: 2 } }] }) }

test('the busy time is the one without the interrupts of the sampler, which Node counts as work', () => {
  const { activeMs, idleMs } = createLoopCounts({ loop, heap: {} }, requests)({ needsHeap: false })
  assert.deepEqual([activeMs, idleMs], [12, 9988])
})

test('responses are counted, and those that failed', () => {
  const { responses, errorResponses, heapAfterGcBytes } = createLoopCounts({ loop, heap: {} }, requests)({ needsHeap: false })
  assert.deepEqual([responses, errorResponses, heapAfterGcBytes], [5, 2, null])
})

test('the heap is watched from the first rule on that needs it', () => {
  let watches = 0
  const heap = { watch: () => { watches++; return { trend: () => ({ points: 2, usedBytes: 7e8 }) } } }
  const read = createLoopCounts({ loop, heap }, requests)
  read({ needsHeap: false })
  assert.equal(watches, 0)
  for (let question = 0; question < 2; question++) assert.equal(read({ needsHeap: true }).heapAfterGcBytes, 7e8)
  assert.equal(watches, 1)
})
