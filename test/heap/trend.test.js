'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const path = require('node:path')
const { promisify } = require('node:util')
const { createDiagnostics } = require('../..')
const { Trend } = require('../../lib/shared/heap/trend')

const MB = 1e6
const LIMIT = 1000 * MB

/** @param {(minute: number) => number} megabytes */
function trendOf (megabytes, { count = 60, everySeconds = 20 } = {}) {
  const trend = new Trend()
  for (let at = 0; at < count; at++) {
    const bytes = megabytes(at * everySeconds / 60) * MB
    trend.add({ atMs: 1e12 + at * everySeconds * 1e3, bytes, spaces: { old_space: bytes * 0.9, large_object_space: bytes * 0.1 } })
  }
  return trend.read(LIMIT)
}

/** The same in every run, as noisy as a busy heap. */
const noise = minute => Math.sin(minute * 7.7) * 3 + Math.sin(minute * 13.1) * 2

test('growth with noise has a slope and a time to the limit', () => {
  const { verdict, bytesPerMinute, minutesToLimit, spaces, points, minutes } = trendOf(minute => 100 + 2 * minute + noise(minute))
  assert.equal(verdict, 'growing')
  assert.ok(Math.abs(bytesPerMinute / MB - 2) < 0.2, `${bytesPerMinute}`)
  assert.ok(Math.abs(minutesToLimit - 430) < 60, `${minutesToLimit}`)
  assert.deepEqual([points, Math.round(minutes)], [60, 20])
  assert.equal(spaces[0].name, 'old_space')
})

test('one collection that found nothing, or too much, does not bend the slope', () => {
  const { verdict, bytesPerMinute } = trendOf(minute => Math.round(minute) % 7 === 3 ? 900 : 100 + 2 * minute)
  assert.equal(verdict, 'growing')
  assert.ok(Math.abs(bytesPerMinute / MB - 2) < 0.5, `${bytesPerMinute}`)
})

for (const [what, megabytes] of [
  ['noise alone', minute => 100 + noise(minute)],
  ['a sawtooth', minute => 100 + (minute % 4) * 10],
  ['a step', minute => minute < 5 ? 100 : 160],
  ['a warm-up', minute => 160 - 60 * Math.exp(-minute / 2) + noise(minute) / 5],
  ['shrinking', minute => 200 - 3 * minute],
  ['a heap that does not move', () => 100],
  ['growth too small to matter', minute => 100 + minute * 0.05],
  ['a small heap that fills its caches', minute => 4 + minute * 0.04]
]) {
  test(`${what} is flat`, () => {
    const { verdict, minutesToLimit } = trendOf(megabytes)
    assert.deepEqual([verdict, minutesToLimit], ['flat', null])
  })
}

test('too few points, or too short a time, give no trend', () => {
  assert.equal(new Trend().read(LIMIT).verdict, 'unknown')
  assert.equal(trendOf(minute => 100 + 50 * minute, { count: 7 }).verdict, 'unknown')
  assert.equal(trendOf(minute => 100 + 50 * minute, { count: 200, everySeconds: 1 }).verdict, 'unknown')
})

test('its memory is bounded, and it still spans the whole time', () => {
  const { points, minutes, bytesPerMinute } = trendOf(minute => 100 + minute, { count: 5000, everySeconds: 60 })
  assert.ok(points <= 120, `${points}`)
  assert.ok(minutes > 4900 && Math.abs(bytesPerMinute / MB - 1) < 0.01)
})

// Time is the test's own: a minute for each collection.
const CHILD = `
const { Collections } = require(process.argv[1] + '/collections')
const { HeapWatching } = require(process.argv[1] + '/heap-watching')
let minute = 0
const collections = new Collections()
const state = { noteMemory () {}, noteCollection () {} }
const heap = new HeapWatching({ nodeFlags: [], ask: async () => [], collections, state, isOwn: () => false, minIntervalMs: 0, now: () => 1e12 + minute * 60e3 })
heap.start()
collections.start()
const watch = heap.watch()
const isLeaking = process.argv[2] === 'leak'
const kept = []
async function main () {
  while (watch.trend().points < 30) {
    minute++
    const work = Array.from({ length: 20_000 }, (_, at) => ({ at, minute }))
    if (isLeaking) kept.push(work)
    const { points } = watch.trend()
    gc()
    while (watch.trend().points === points) await new Promise(setImmediate)
  }
  watch.stop()
  heap.stop()
  collections.stop()
  console.log(JSON.stringify(watch.trend()))
}
main()
`

for (const [mode, expected] of [['leak', 'growing'], ['churn', 'flat']]) {
  test(`a process with ${mode === 'leak' ? 'a leak' : 'much garbage'} is ${expected}`, async () => {
    const module = path.resolve(__dirname, '../../lib/probe/heap')
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', '-e', CHILD, module, mode])
    const { verdict, points, usedBytes, limitBytes, spaces } = JSON.parse(stdout)
    assert.deepEqual([verdict, points], [expected, 30])
    assert.ok(usedBytes > 1e6 && limitBytes > usedBytes && spaces.some(({ name }) => name === 'old_space'))
  })
}

test('a handle watches while it runs, once for all watchers, and exports it as a metric', async t => {
  const handle = createDiagnostics({ recorder: false, controlSocket: false, logger: { info () {}, warn () {}, error () {} } })
  assert.throws(() => handle.heap.watch(), { code: 'ERR_LOOPSCOPE_NOT_RUNNING' })
  handle.start()
  t.after(() => handle.close())
  const [one, other] = [handle.heap.watch(), handle.heap.watch()]
  assert.deepEqual([one.trend().verdict, one.trend().minutesToLimit], ['unknown', null])
  const kept = []
  while (one.trend().points === 0) {
    kept.push(Array.from({ length: 100_000 }, (_, at) => ({ at })))
    if (kept.length > 20) kept.length = 0
    await new Promise(setImmediate)
  }
  assert.deepEqual(other.trend(), one.trend())
  assert.match(await handle.registry.metrics(), /loopscope_heap_after_gc_bytes\{space="old_space"\} \d+/)
  one.stop()
  other.stop()
  assert.ok(!/loopscope_heap_after_gc_bytes\{/.test(await handle.registry.metrics()))
})
