'use strict'

// Where requests wait, of several processes as one. Pure.

const test = require('node:test')
const assert = require('node:assert/strict')
const { mergeWaits, waitsQuestion } = require('../../lib/shared/group/merge-waits')

const PLACE = { file: 'orders.js', column: 3 }

function line (name, more) {
  return { function: name, line: 7, ...PLACE, awaited: null, via: null, resumedBy: null, longest: null, together: 0, callers: [], requests: 10, waits: 10, ms: 100, queuedMs: 0, poolMs: 0, turnMs: 0, sharedMs: 0, share: 0.1, p50Ms: 10, p99Ms: 20, maxMs: 25, ...more }
}

function part (pid, routes, more) {
  return { member: { pid }, answer: { seconds: 5, seen: 20, sampled: 10, seesCallbacks: true, isStale: false, routes, ...more } }
}

function route (name, lines, more) {
  return { route: name, requests: 10, open: 0, truncated: 0, totalMs: 1000, waitingMs: 500, unseenMs: 0, clientMs: 0, uploadMs: 0, lines, serial: [], ...more }
}

test('lines of the same place are one, with the sums and shares of all processes', () => {
  const serial = { function: 'handler', line: 3, ...PLACE, awaits: 2, maxAwaits: 3, requests: 10, ms: 50 }
  const first = route('GET /a', [line('load'), line('other', { ms: 300 })], { serial: [serial] })
  const second = route('GET /a', [line('load', { requests: 30, waits: 60, ms: 900, queuedMs: 5, poolMs: 40, turnMs: 30, sharedMs: 0, awaited: 'pg', callers: [PLACE], p50Ms: 30, p99Ms: 15, maxMs: 90 })], {
    requests: 30, open: 1, truncated: 2, unseenMs: 7, serial: [{ ...serial, awaits: 4, maxAwaits: 9, requests: 30 }]
  })
  const { routes, ...rest } = mergeWaits([part(1, [first]), part(2, [second, route('job x', [], { totalMs: 5000 })])])
  assert.deepEqual(rest, { seconds: 5, seen: 40, sampled: 20, seesCallbacks: true })
  assert.deepEqual(routes.map(({ route, pids }) => [route, pids]), [['job x', [2]], ['GET /a', [1, 2]]])
  const { lines: [load, other], serial: [inRow], ...sums } = routes[1]
  assert.deepEqual([sums.requests, sums.open, sums.truncated, sums.totalMs, sums.unseenMs], [40, 1, 2, 2000, 7])
  assert.deepEqual(load, { ...line('load'), awaited: 'pg', callers: [PLACE], requests: 40, waits: 70, ms: 1000, queuedMs: 5, poolMs: 40, turnMs: 30, sharedMs: 0, share: 0.5, p50Ms: 30, p99Ms: 20, maxMs: 90 })
  assert.deepEqual([other.function, other.ms, other.share], ['other', 300, 0.15])
  assert.deepEqual([inRow.awaits, inRow.maxAwaits, inRow.requests, inRow.ms], [3.5, 9, 40, 100])
})

test('of no process, and of some that did not count', () => {
  assert.deepEqual(mergeWaits([]), { seconds: null, seen: null, sampled: 0, seesCallbacks: false, routes: [] })
  const { seen, seesCallbacks } = mergeWaits([part(1, []), part(2, [], { seen: null, seesCallbacks: false })])
  assert.deepEqual([seen, seesCallbacks], [20, false])
})

test('each process is asked the same, and has the time of sampling to answer', () => {
  assert.equal(waitsQuestion({}).query, '')
  const { query, withinMs } = waitsQuestion({ seconds: 10, route: 'GET /a b' })
  assert.equal(query, '?seconds=10&route=GET+%2Fa+b')
  assert.ok(withinMs > 10_000)
})
