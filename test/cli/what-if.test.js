'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { answered } = require('./answered')

const range = (now, expected) => ({ now, low: expected - 8, expected, high: expected + 9 })
const ROUTES = [
  { route: 'GET /customers/:id/orders', requests: 3012, reason: null, p50Ms: range(110, 12), p95Ms: range(1410, 32) },
  { route: 'GET /rare\u001b[2J', requests: 7, reason: 'only 7 requests were seen, fewer than 40', p50Ms: null, p95Ms: null }
]
const PREDICTION = { change: 'removed', reason: null, seconds: 42.1, requests: 3019, clients: 'open', maxSpeedUp: 1.8, routes: ROUTES }
const answer = (prediction, measured = [{ route: 'POST /login', requests: 50, p50Ms: 60, p95Ms: 90 }]) => ({ route: 'POST /login', scale: 0, isStale: false, measured, prediction })

test('each route has what it takes now and would take, in 80 columns and without control characters', async t => {
  const { code, stdout, stderr } = await answered(t, answer(PREDICTION), 'what-if', '--route', 'POST /login')
  assert.equal(code, 0, stderr)
  assert.deepEqual(stdout.trimEnd().split('\n'), [
    'if POST /login took nothing on the event loop',
    'ROUTE                      REQUESTS           NOW  EXPECTED  RANGE',
    'GET /customers/:id/orders      3012  p50   110 ms     12 ms  4 to 21 ms',
    '                                     p95  1410 ms     32 ms  24 to 41 ms',
    'GET /rare\uFFFD[2J: no prediction: only 7 requests were seen, fewer than 40',
    'requests a second: at most 1.8 times'
  ])
  assert.match(stderr, /^from a replay of 3019 requests in 42\.1 s; clients: open$/m)
})

test('why there is none is in a sentence', async t => {
  const { stdout } = await answered(t, answer({ ...PREDICTION, reason: 'only 3 requests were seen, fewer than 40', routes: [] }), 'what-if', '--route', 'POST /login')
  assert.match(stdout, /\nno prediction: only 3 requests were seen, fewer than 40\n$/)
})

test('a route that was not seen is refused with those that were', async t => {
  const unseen = answer({ ...PREDICTION, reason: 'the recorded requests do not show its time', routes: [] })
  const { code, stderr } = await answered(t, { ...unseen, route: 'POST /logn' }, 'what-if', '--route', 'POST /logn')
  assert.equal(code, 1)
  const { stderr: withoutMethod } = await answered(t, { ...unseen, route: '/login' }, 'what-if', '--route', '/login')
  assert.match(withoutMethod, /No request of \/login was seen in the last minute\. Did you mean POST \/login\?/)
  assert.match(stderr, /No request of POST \/logn was seen in the last minute\. Did you mean POST \/login\?\nRoutes: POST \/login\./)
})
