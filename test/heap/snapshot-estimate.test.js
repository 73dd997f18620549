'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { estimate, pauseMsPerMb } = require('../../lib/observer/heap/snapshot/estimate')
const { Gate, assertFits } = require('../../lib/observer/heap/snapshot/admission')
const { readMemory } = require('../../lib/probe/heap/memory-reading')

const MB = 1e6

/** A heap of small objects, of so many megabytes, with so many in large tables. */
function reading (megabytes, { largeMb = 0, rssMb = megabytes + 50 } = {}) {
  const spaces = [['old_space', megabytes], ['large_object_space', largeMb], ['read_only_space', 500]].map(([name, mb]) => ({ name, usedBytes: mb * MB }))
  return { rssBytes: rssMb * MB, heapTotalBytes: megabytes * MB, externalBytes: 0, spaces }
}

const lesson = { before: reading(100), after: reading(100, { rssMb: 400 }), nodes: 1e6, edges: 4e6, names: 9e3, fileBytes: 100 * MB, pauseMs: 5000 }
const roomy = { memory: { limitBytes: 8e9, freeBytes: 8e9, basis: 'the test' }, disk: { dir: '/captures', bytes: 8e9, maxBytes: 8e9, isMemory: false }, copies: 2, maxPauseMs: 60_000 }
const code = 'ERR_LOOPSCOPE_SNAPSHOT_REFUSED'

test('a larger heap costs more of everything; a large table costs memory only', () => {
  const [small, large, table] = [reading(20), reading(200), reading(20, { largeMb: 8 })].map(now => estimate(now, null))
  for (const name of ['memoryBytes', 'fileBytes', 'pauseMs']) assert.ok(large[name] > 4 * small[name], name)
  assert.ok(table.memoryBytes - small.memoryBytes > 1000 * MB)
  assert.deepEqual([table.fileBytes, table.pauseMs], [small.fileBytes, small.pauseMs])
})

test('reads V8\'s figures of a real heap', () => {
  const cost = estimate(readMemory(), null)
  assert.ok(cost.memoryBytes > 25 * MB && cost.memoryBytes < 4000 * MB, JSON.stringify(cost))
  assert.ok(cost.fileBytes > MB && cost.pauseMs > 0)
})

test('learns from the snapshot before, with a margin, and grows with the heap', () => {
  const cost = estimate(reading(100, { rssMb: 400 }), lesson)
  assert.ok(cost.memoryBytes < estimate(reading(100), null).memoryBytes / 2)
  assert.equal(cost.fileBytes, 125 * MB)
  assert.equal(cost.pauseMs, 6250)
  assert.equal(estimate(reading(300), lesson).fileBytes, 375 * MB)
})

test('without a previous snapshot, the slowest on this machine gives the estimate', () => {
  assert.equal(estimate(reading(100), null).pauseMs, 10_000)
  assert.equal(estimate(reading(100), null, [40, 190]).pauseMs, 23_750)
  assert.equal(estimate(reading(100), null, [40]).pauseMs, 5000)
  assert.equal(estimate(reading(100), lesson, [40]).pauseMs, 6250, 'what this process taught says more')
  assert.equal(pauseMsPerMb(lesson), 50)
})

test('counts what the snapshot before left in the process, unless a heap or buffers have grown into it', () => {
  const reusableMb = (now, changes) => estimate({ ...now, ...changes }, lesson).reusableBytes / MB
  assert.equal(reusableMb(reading(100, { rssMb: 400 })), 200)
  assert.equal(reusableMb(reading(200, { rssMb: 400 })), 120)
  assert.equal(reusableMb(reading(100, { rssMb: 400 }), { externalBytes: 250 * MB }), 0)
  assert.equal(reusableMb(reading(100, { rssMb: 160 })), 8)
})

test('refuses what does not fit, and states what it needs, what there is, the source of that limit, and what is cheaper', () => {
  const cost = estimate(reading(100), null)
  assert.doesNotThrow(() => assertFits(cost, roomy))
  const tight = { ...roomy, memory: { limitBytes: 512 * MB, freeBytes: 400 * MB, basis: 'memory.max of /sys/fs/cgroup/shop' } }
  assert.throws(() => assertFits(cost, tight), { code, message: /memory: needs 7\d\d MB, may take 320 MB \(80 % of what is free by memory\.max of \/sys\/fs\/cgroup\/shop, limit 512 MB\).*heap-histogram.*force/ })
  assert.throws(() => assertFits(cost, { ...roomy, disk: { ...roomy.disk, bytes: 300 * MB } }), { code, message: /disk: needs 720 MB, may take 300 MB \(\/captures/ })
  assert.throws(() => assertFits(cost, { ...roomy, disk: { ...roomy.disk, maxBytes: 200 * MB } }), { code, message: /retention\.maxBytes/ })
  assert.throws(() => assertFits(cost, { ...roomy, maxPauseMs: 2000 }), { code, message: /stand still for 10\.0 s, at most 2\.0 s/ })
})

test('where the disk is memory, the files count as memory', () => {
  const cost = estimate(reading(100), null)
  const memory = { limitBytes: 1500 * MB, freeBytes: 1200 * MB, basis: 'the test' }
  assert.doesNotThrow(() => assertFits(cost, { ...roomy, memory }))
  assert.throws(() => assertFits(cost, { ...roomy, memory, disk: { ...roomy.disk, isMemory: true } }), { code, message: /memory, the file included: needs 14\d\d MB/ })
})

test('one at a time, also when forced; a pause after each that stopped the process, unless forced', () => {
  let now = 0
  const gate = new Gate({ now: () => now })
  gate.enter(false)
  assert.throws(() => gate.enter(true), { code: 'ERR_LOOPSCOPE_SNAPSHOT_BUSY' })
  gate.leave(false)
  gate.enter(false)
  gate.leave(true)
  now += 20_500
  assert.throws(() => gate.enter(false), { code: 'ERR_LOOPSCOPE_SNAPSHOT_COOLDOWN', message: /less than 60 s ago: the next is allowed in 40 s/ })
  gate.enter(true)
  gate.leave(true)
  now += 60_000
  gate.enter(false)
})
