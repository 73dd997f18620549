'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { answered } = require('./answered')

const LINE = { function: 'loadOrders', file: 'src/orders.js', line: 12, column: 3, awaited: 'pg-pool', via: 'knex', callers: [], requests: 40, waits: 80, ms: 2400, queuedMs: 100, share: 0.6, p50Ms: 58.2, p99Ms: 91, maxMs: 95, resumedBy: null, longest: null, together: 1, poolMs: 0, turnMs: 0, sharedMs: 0 }
const ROUTE = {
  route: 'GET /orders/:id',
  requests: 40,
  open: 1,
  truncated: 2,
  totalMs: 4000,
  waitingMs: 3800,
  unseenMs: 400,
  clientMs: 0,
  uploadMs: 0,
  lines: [LINE, { ...LINE, function: 'loadUser\u001b[2J', line: 30, awaited: null, via: null, waits: 40, share: 0.05, p50Ms: 5 }],
  serial: [{ function: 'handler', file: 'src/app.js', line: 7, column: 1, awaits: 3.5, maxAwaits: 12, requests: 40, ms: 2800 }]
}
const ANSWER = { isStale: false, seconds: 10, seen: 50, sampled: 40, seesCallbacks: true, routes: [ROUTE] }

/** What the command shows of this answer. */
function shown (t, answer, ...options) {
  return answered(t, answer, 'waits', ...options)
}

test('of each route the lines are shown, longest first, and what else took its time', async t => {
  const { code, stdout, stderr } = await shown(t, ANSWER, '--seconds', '10')
  assert.equal(code, 0)
  assert.match(stderr, /40 of 50 requests were sampled/)
  const [title, open, truncated, titles, first, second, inLine, unseen, inRow] = stdout.split('\n')
  assert.equal(title, 'GET /orders/:id: 40 requests of 100 ms, 95 % waiting')
  assert.match(open, /^ {2}1 of them not answered, or not yet$/)
  assert.match(truncated, /^ {2}2 of them not followed to the end/)
  assert.match(titles, /^SHARE +P50 +P99 +WAITS +WHERE +AWAITED$/)
  assert.match(first, /^ *60 % +58 ms +91 ms +2 +loadOrders src\/orders\.js:12 +pg-pool \(knex\)$/)
  assert.match(second, /^5\.0 % +5\.0 ms .* 1 +loadUser\uFFFD\[2J src\/orders\.js:30 +-$/)
  assert.match(inLine, /^ {2}5 % in line for the event loop/)
  assert.match(unseen, /^ {2}10 % waiting where no await of the application was seen$/)
  assert.equal(inRow, '  handler src/app.js:7: 3.5 awaits in a row, up to 12, 70 ms a request')
  assert.ok(stdout.split('\n').every(line => line.length <= 80), stdout)
})

test('a route of a millisecond has no waits worth a line, whatever share of it they have', async t => {
  const { stdout } = await shown(t, { ...ANSWER, routes: [{ ...ROUTE, open: 0, truncated: 0, totalMs: 40, waitingMs: 39.2, unseenMs: 39.2, lines: [], serial: [] }] }, '--seconds', '10')
  assert.equal(stdout.trim(), 'GET /orders/:id: 40 requests of 1.0 ms, hardly any waiting')
})

test('what cannot be seen is said', async t => {
  const { stderr } = await shown(t, { ...ANSWER, seesCallbacks: false }, '--seconds', '10')
  assert.match(stderr, /waits of callbacks are only seen from Node\.js 24 on/)
  assert.match((await shown(t, { ...ANSWER, seen: null, seconds: null, routes: [] })).stdout, /^no request was sampled yet; pass --seconds 10/)
  assert.match((await shown(t, { ...ANSWER, routes: [] }, '--seconds', '1')).stdout, /^no request began meanwhile; those under way before: loopscope requests$/m)
  assert.match((await shown(t, { ...ANSWER, routes: [] }, '--seconds', '1', '--route', '/orders')).stdout, /^no request of \/orders began meanwhile; those/m)
})

test('the data is given as it is, and wrong seconds are refused', async t => {
  assert.deepEqual(JSON.parse((await shown(t, ANSWER, '--json')).stdout), ANSWER)
  const { code, stderr } = await shown(t, ANSWER, '--seconds', '301')
  assert.equal(code, 2)
  assert.match(stderr, /--seconds must be greater than 0 and at most 300, got 301/)
})
