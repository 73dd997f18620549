'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { localTimeWithZone } = require('../../lib/base/local-time')
const { describeSlow } = require('../../lib/shared/requests/describe')
const { slowRequestsText } = require('../../lib/observer/admin/requests-text')

const slow = parts => ({ at: 0, route: 'GET /fast', status: 200, durationMs: 1000, unreadMs: 0, ownMs: 0, behindMs: 0, behind: [], gcMs: 0, waitingMs: 0, waits: [], steps: [], traceId: null, ...parts })

test('one sentence states why it was slow', () => {
  assert.equal(describeSlow(slow({ ownMs: 600, waitingMs: 400 })), 'its own code')
  assert.equal(describeSlow(slow({ ownMs: 100, waitingMs: 900 })), 'waited for I/O or a timer, not for the event loop')
  const wait = { kind: 'redis', operation: 'GET', target: 'db:6379', calls: 1, errors: 0, ms: 450 }
  assert.equal(describeSlow(slow({ waitingMs: 900, waits: [wait] })), 'waited for redis GET db:6379, not for the event loop')
  assert.equal(describeSlow(slow({ waitingMs: 900, waits: [{ ...wait, calls: 12, ms: 700 }, wait] })), 'waited for redis GET db:6379 (12 calls), not for the event loop')
  assert.equal(describeSlow(slow({ waitingMs: 900, waits: [{ ...wait, ms: 400 }] })), 'waited for I/O or a timer, not for the event loop')
  assert.equal(describeSlow(slow({ gcMs: 600 })), 'garbage collection')
  assert.equal(describeSlow(slow({ behindMs: 812, behind: [{ route: 'POST /login', ms: 812 }] })), 'waited 812 ms behind POST /login')
})

const LINE = { function: 'loadOrders', file: 'orders.js', line: 12, column: 3, awaited: 'pg-pool', via: null, waits: 1, ms: 700, queuedMs: 0 }

test('the line at which most of it waited is named, and the call where that is known', () => {
  assert.equal(describeSlow(slow({ waitingMs: 900, waitedAt: [LINE] })), 'waited for pg-pool at loadOrders orders.js:12, not for the event loop')
  assert.equal(describeSlow(slow({ waitingMs: 900, waitedAt: [{ ...LINE, awaited: null }] })), 'waited for I/O or a timer at loadOrders orders.js:12, not for the event loop')
  const wait = { kind: 'mysql', operation: 'SELECT', target: 'db:3306', calls: 1, errors: 0, ms: 650 }
  assert.equal(describeSlow(slow({ waitingMs: 900, waits: [wait], waitedAt: [LINE] })), 'waited for mysql SELECT db:3306 at loadOrders orders.js:12, not for the event loop')
  assert.equal(describeSlow(slow({ waitingMs: 900, waitedAt: [{ ...LINE, ms: 400 }] })), 'waited for I/O or a timer, not for the event loop')
})

test('the text has the lines, or that there are none', () => {
  const of = waitedAt => slowRequestsText([slow({ waitingMs: 1000, waitedAt })], { isStale: false })
  assert.match(of([LINE, { ...LINE, line: 14, awaited: null, ms: 200 }, { ...LINE, ms: 0 }]), /\n {2}waited at loadOrders orders\.js:12 700 ms \(pg-pool\); loadOrders orders\.js:14 200 ms\n$/)
  assert.match(of(null), /\n {2}at which line was not sampled\n$/)
  assert.doesNotMatch(of([]), /at which line|waited at/)
})

test('the time it lay unread is shown as an upper bound', () => {
  assert.equal(describeSlow(slow({ behindMs: 812, unreadMs: 800, behind: [{ route: 'POST /login', ms: 812 }] })), 'waited up to 812 ms behind POST /login')
})

test('others of its route, code outside requests and several routes are named as such; small shares are left out', () => {
  assert.equal(describeSlow(slow({ behindMs: 500, behind: [{ route: 'GET /fast', ms: 490 }, { route: null, ms: 10 }] })), 'waited 500 ms behind other requests of the same route')
  assert.equal(describeSlow(slow({ behindMs: 12_340, behind: [{ route: null, ms: 12_000 }] })), 'waited 12.3 s behind code outside requests')
  assert.equal(describeSlow(slow({ behindMs: 300, behind: [{ route: 'GET /a', ms: 150 }, { route: 'GET /b', ms: 100 }, { route: 'GET /c', ms: 50 }] })), 'waited 300 ms behind GET /a and 2 more')
})

test('the text has the figures below each sentence', () => {
  const text = slowRequestsText([slow({ behindMs: 990, behind: [{ route: 'GET /a', ms: 980 }, { route: null, ms: 10 }], waitingMs: 10, traceId: 'abc' })], { isStale: false })
  assert.equal(text, `${localTimeWithZone(0)} GET /fast 200 1000 ms: waited 990 ms behind GET /a, trace abc
  own 0 ms, behind 990 ms (GET /a 980 ms, outside requests 10 ms), gc 0 ms, waiting 10 ms
`)
  const wait = { kind: 'redis', operation: 'GET', target: 'db:6379', calls: 3, errors: 1, ms: 600 }
  const waited = slowRequestsText([slow({ waitingMs: 1000, waits: [wait, { ...wait, operation: 'SET', calls: 1, errors: 0, ms: 400 }] })], { isStale: false })
  assert.match(waited, /waiting 1000 ms\n {2}waited for redis GET db:6379 600 ms in 3 calls, 1 failed; redis SET db:6379 400 ms in 1 call\n$/)
  assert.match(slowRequestsText([], { isStale: true }), /^the event loop is blocked.*\n\nno slow requests\n$/)
})
