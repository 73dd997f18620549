'use strict'

// What `top` draws of a process whose worker threads are watched.

const test = require('node:test')
const assert = require('node:assert/strict')
const { screenLines } = require('../../lib/cli/top-screen')

const TERMINAL = { columns: () => 120, rows: () => 40, paint: (style, text) => text }
const TOP = { function: 'shrinkImage', file: 'image.js', line: 12, column: 3, share: 0.9 }

const threadOf = id => ({ id, name: `worker ${id}`, problem: null, observedMs: 60_000, busyMs: 24_600 - id, longestMs: 1584, stalls: 9, top: TOP })

function drawn (threads, { stalls = [], width = 120 } = {}) {
  const now = { at: 0, maxDelayMs: 5, blockedMs: 0, utilization: 0.1, memory: null, ...threads }
  const watched = { name: '1', facts: { pid: 1, appName: 'shop' }, now, delays: [5], stalls, stuck: null, heardMs: performance.now(), problem: null }
  return screenLines({ all: [watched], selected: 0, sort: 0, isPaused: false, over: null }, { ...TERMINAL, columns: () => width }).map(line => [line].flat().join(''))
}

test('threads are shown below the delays of their process, busiest first, and how many more there are', () => {
  const lines = drawn({ threads: Array.from({ length: 10 }, (_, index) => threadOf(index + 1)) })
  const from = lines.findIndex(line => /^THREAD +BUSY/.test(line))
  assert.match(lines[from + 1], /^worker 1 +41 % +1584 ms +9 +shrinkImage image\.js:12$/)
  assert.deepEqual([lines[from + 9], lines[from + 10], lines[from + 11]], ['2 more: see `loopscope threads`', '', 'no stalls'])
})

test('without threads that are watched nothing is said of them', () => {
  for (const threads of [{ threads: null }, { threads: [] }, {}]) assert.ok(drawn(threads).every(line => !line.includes('THREAD')))
})

test('stalls of today have no date in a narrow terminal, as in `loopscope stalls`', () => {
  const stall = { at: Date.now(), durationMs: 274, startingUp: false, cause: 'code', route: 'POST /login', culprit: null, stack: [] }
  const rowAt = width => drawn({}, { stalls: [stall], width }).at(-1)
  assert.match(rowAt(80), /^\d\d:\d\d:\d\d +274 ms +code +POST \/login/)
  assert.match(rowAt(120), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +274 ms/)
})
