'use strict'

// The observer's end: what the main thread has handed over, and samples, become a list.

const test = require('node:test')
const assert = require('node:assert/strict')
const { monotonicMicros } = require('../../lib/base/monotonic')
const { SlowRequests } = require('../../lib/observer/slow-requests/slow-requests')

const MS = 1e3

/** Times in milliseconds since a second ago. */
function createSubject () {
  const origin = monotonicMicros() - 1e6
  const at = ms => origin + ms * MS
  const slow = new SlowRequests({ hz: 100, nameOf: number => [undefined, { kind: 'redis', operation: 'GET', target: 'db:6379', more: 1 }][number] })
  return {
    slow,
    at,
    answer: (start, to, route = 'GET /mine', traceId = null) => ({ route, status: 200, traceId, fromMicros: at(start), startMicros: at(start), toMicros: at(to), waits: [] }),
    work: (start, route, from, to) => ({ startMicros: at(start), route, fromMicros: at(from), toMicros: at(to) }),
    add: notes => slow.addNotes({ toMicros: at(900), work: [], probes: [], seen: [], late: [], answers: [], hasHandlers: false, ...notes }),
    addWindow: (from, to, name, route) => slow.addWindow({
      nodes: [{ id: 1, callFrame: { functionName: name } }], startTime: at(from), endTime: at(to), samples: [1, 1], timeDeltas: [0, (to - from) * MS], routes: { names: [route], samples: [0, 0] }
    }),
    list: () => slow.list().map(({ route, ownMs, behind, waitingMs }) => ({ route, ownMs, behind, waitingMs }))
  }
}

test('what was noted becomes a list, also without samples', () => {
  const { slow, add, answer, work, list } = createSubject()
  assert.equal(slow.handedOverMs, null)
  add({ answers: [answer(0, 100, 'GET /mine', 'abc')], work: [work(0, 'GET /mine', 0, 30), work(5, 'GET /other', 30, 60)], late: [{ fromMicros: 0, toMicros: 1 }] })
  assert.deepEqual(list(), [{ route: 'GET /mine', ownMs: 30, behind: [{ route: 'GET /other', ms: 30 }], waitingMs: 40 }])
  assert.equal(slow.list()[0].traceId, 'abc')
  assert.ok(Math.abs(slow.handedOverMs - Date.now()) < 1000)
})

test('what a request waited for has its name; one that is not known is left out', () => {
  const { slow, add, answer, at } = createSubject()
  add({ answers: [{ ...answer(0, 100), waits: [[0, 1, 0, 50 * MS, at(0), at(50)], [1, 2, 1, 60 * MS, at(10), at(70)]] }] })
  assert.deepEqual(slow.list()[0].waits, [{ kind: 'redis', operation: 'GET', target: 'db:6379', calls: 2, errors: 1, ms: 60 }])
})

test('a request gets the samples of its window, and keeps what they showed', () => {
  const { add, addWindow, answer, list } = createSubject()
  add({ answers: [answer(0, 60)] })
  addWindow(0, 80, 'work', 'GET /other')
  const found = [{ route: 'GET /mine', ownMs: 0, behind: [{ route: 'GET /other', ms: 60 }], waitingMs: 0 }]
  assert.deepEqual(list(), found)
  addWindow(120_000, 120_080, 'work', 'GET /other') // the first one is forgotten by then
  assert.deepEqual(list(), found)
})

test('work that was handed over before its route was found has the route that its request was answered with', () => {
  const { add, answer, work, list } = createSubject()
  add({ work: [work(5, 'GET _unmatched', 10, 60)] })
  add({ answers: [answer(0, 100), answer(5, 90, 'GET /late/:id')] })
  assert.deepEqual(list().find(({ route }) => route === 'GET /mine').behind, [{ route: 'GET /late/:id', ms: 50 }])
})

test('before what is oldest is forgotten it is made use of', () => {
  const { add, answer, work, list } = createSubject()
  add({ answers: [answer(0, 100)], work: [work(0, 'GET /mine', 0, 30)] })
  for (let round = 0; round < 3; round++) add({ work: Array.from({ length: 2000 }, () => work(200, 'GET /other', 200, 201)) })
  assert.deepEqual(list(), [{ route: 'GET /mine', ownMs: 30, behind: [], waitingMs: 70 }])
})
