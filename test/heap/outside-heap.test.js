'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createOutsideHeap } = require('../../lib/probe/heap/heap-watching')

const MB = 1e6

/** @param {(second: number) => number | null} bytesAt */
function watch (bytesAt, seconds) {
  let second = 0
  let reads = 0
  const outside = createOutsideHeap({
    read () {
      reads++
      const external = bytesAt(second)
      return external === null ? null : { rss: 2 * external, heapTotal: 0, heapUsed: 0, external, arrayBuffers: external / 2 }
    }
  })
  for (; second < seconds; second++) for (let tick = 0; tick < 50; tick++) outside.note(second * 1e3 + tick * 20)
  return { ...outside.read(second * 1e3), reads }
}

test('what is kept has grown since it was lowest, however long it is flat by now', () => {
  const burst = second => second < 10 ? 5 * MB : Math.min(1005, 5 + (second - 9) * 100) * MB
  assert.deepEqual(watch(burst, 60), { rssBytes: 2010 * MB, externalBytes: 1005 * MB, buffersBytes: 502.5 * MB, grownBytes: 1000 * MB, grownForMs: 51_000, reads: 61 })
})

test('what comes and goes has not grown, wherever it is when it is read', () => {
  for (let end = 30; end < 34; end++) assert.ok(watch(second => (5 + second % 3 * 200) * MB, end).grownBytes < 1, `${end}`)
})

test('what grew long ago has not, and the readings that are kept are bounded', () => {
  const cache = second => (second < 60 ? second * 10 : 600) * MB
  assert.equal(watch(cache, 70).grownBytes, 600 * MB)
  assert.equal(watch(cache, 17 * 60).grownBytes, 0)
})

test('the memory of SharedArrayBuffers counts, which V8 does not report as external', () => {
  const outside = createOutsideHeap({ read: () => ({ rss: 400 * MB, heapTotal: 0, heapUsed: 0, external: 3 * MB, arrayBuffers: 210 * MB }) })
  assert.deepEqual(outside.read(0), { rssBytes: 400 * MB, externalBytes: 210 * MB, buffersBytes: 210 * MB, grownBytes: 0, grownForMs: 0 })
})

test('nothing is reported where the system has no figures', () => {
  assert.deepEqual(watch(() => null, 5), { reads: 6 })
})
