'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Arrivals } = require('../../lib/probe/http/arrivals')

const MS = 1e3
const nextImmediate = () => new Promise(resolve => setImmediate(resolve))

function createSubject (t) {
  const heartbeat = { dueMicros: 1e9 }
  const arrivals = new Arrivals(heartbeat)
  t.after(() => arrivals.stop())
  return { heartbeat, arrivals }
}

test('where the loop is in time a request came when it is read', t => {
  const { arrivals } = createSubject(t)
  arrivals.noteTick(1e9 - 15 * MS, 2)
  assert.equal(arrivals.firstMicros(1e9 + 5 * MS, {}), 1e9 + 5 * MS)
})

test('while a tick is overdue what is read was there when it was due', t => {
  const { arrivals } = createSubject(t)
  assert.equal(arrivals.firstMicros(1e9 + 300 * MS, {}), 1e9)
})

test('what is read by the next two polls after a late tick may have come while the loop was late, and nothing after that', async t => {
  const { arrivals, heartbeat } = createSubject(t)
  heartbeat.dueMicros = Infinity
  await nextImmediate()
  arrivals.noteTick(1e9, 300)
  assert.equal(arrivals.firstMicros(1e9 + MS, {}), 1e9 - 300 * MS)
  await nextImmediate()
  assert.equal(arrivals.firstMicros(1e9 + 2 * MS, {}), 1e9 - 300 * MS)
  await nextImmediate()
  await nextImmediate()
  assert.equal(arrivals.firstMicros(1e9 + 3 * MS, {}), 1e9 + 3 * MS)
})

test('after a request on a new connection there may be another one, for as long again as the loop was late', async t => {
  const { arrivals, heartbeat } = createSubject(t)
  heartbeat.dueMicros = Infinity
  await nextImmediate()
  arrivals.noteTick(1e9, 300)
  for (const afterMs of [1, 2, 3, 4, 5, 299]) {
    assert.equal(arrivals.firstMicros(1e9 + afterMs * MS, { socket: {} }), 1e9 - 300 * MS)
    await nextImmediate()
  }
  assert.equal(arrivals.firstMicros(1e9 + 301 * MS, { socket: {} }), 1e9 - 300 * MS)
  await nextImmediate()
  await nextImmediate()
  assert.equal(arrivals.firstMicros(1e9 + 302 * MS, { socket: {} }), 1e9 + 302 * MS)
})

test('on a connection that was answered meanwhile it came after that answer', t => {
  const { arrivals } = createSubject(t)
  const socket = {}
  arrivals.noteAnswer({ socket }, 1e9 + 250 * MS)
  assert.equal(arrivals.firstMicros(1e9 + 300 * MS, { socket }), 1e9 + 250 * MS)
  assert.equal(arrivals.firstMicros(1e9 + 300 * MS, { socket: {} }), 1e9)
})

test('a machine that was asleep for hours does not make a request of hours', t => {
  const { arrivals } = createSubject(t)
  arrivals.noteTick(1e11, 5 * 3600e3)
  assert.equal(arrivals.firstMicros(1e11, {}), 1e11 - 60e6)
})
