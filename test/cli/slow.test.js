'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { answered } = require('./answered')

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const TIMES = { unreadMs: 0, ownMs: 1.5, behindMs: 0, behind: [], gcMs: 0, waitingMs: 7, waits: [], steps: [], traceId: null }
const REQUESTS = [
  { at: 1_795_328_643_405, route: 'GET /fast', status: 200, durationMs: 820.5, ...TIMES, unreadMs: 812, behindMs: 812, behind: [{ route: 'POST /login', ms: 800 }, { route: null, ms: 12 }] },
  { at: 1_795_328_643_400, route: 'POST /login', status: 200, durationMs: 805, ...TIMES, ownMs: 801, traceId: TRACE },
  { at: 1_795_328_640_000, route: 'GET /orders/:id', status: 499, durationMs: 640, ...TIMES, waitingMs: 638.5 }
]

/** What the command says of these requests. */
function shown (t, answer, ...options) {
  return answered(t, answer, 'slow', ...options)
}

test('each request is shown with what it waited for, and behind what', async t => {
  const { code, stdout, stderr } = await shown(t, { isStale: false, requests: REQUESTS }, '--wide')
  assert.deepEqual([code, stderr], [0, ''])
  const [, behind, own, waiting] = stdout.split('\n')
  assert.match(behind, /^\S+ \S+ +821 ms +GET \/fast .* behind POST \/login$/)
  assert.match(own, new RegExp(`^\\S+ \\S+ +805 ms +POST /login +801 ms .*${TRACE}.*own code$`))
  assert.match(waiting, /^\S+ \S+ +640 ms +GET \/orders\/:id .*waited for I\/O or a timer$/)
})

test('at 80 columns each has one line, with its whole route and the line it waited at', async t => {
  const waitedAt = [{ function: 'acquireConnection', file: 'src/database/pool.js', line: 23, column: 1, ms: 600, awaited: 'generic-pool', via: null }]
  const requests = [{ ...REQUESTS[2], route: 'GET /customers/:id/orders', waitedAt }, REQUESTS[0]]
  const { stdout } = await shown(t, { isStale: false, requests })
  const [, waiting, ...others] = stdout.trimEnd().split('\n')
  assert.equal(others.length, 1)
  assert.match(waiting, / GET \/customers\/:id\/orders +waited.*src\/database\/pool\.js:23$/)
  assert.ok(waiting.length <= 80)
})

test('requests of a route that were slow at the same time are one row, unless all are wanted', async t => {
  const [behind, own] = REQUESTS
  const requests = [behind, own, { ...behind, at: behind.at + 40, durationMs: 780 }, { ...behind, at: behind.at + 100, durationMs: 720 }, { ...behind, at: behind.at - 5000, durationMs: 700 }]
  const { stdout, stderr } = await shown(t, { isStale: false, requests }, '--wide')
  assert.deepEqual(stdout.trimEnd().split('\n').slice(1).map(row => / (\+\d+)? +(?:GET|POST) /.exec(row)[1]), ['+2', undefined, undefined])
  assert.match(stderr, /--all/)
  const { stdout: all } = await shown(t, { isStale: false, requests }, '--wide', '--all')
  assert.equal(all.trimEnd().split('\n').length, 1 + requests.length)
  assert.doesNotMatch(all, /MORE/)
})

test('what was known before the loop was blocked says so, and no requests are an answer', async t => {
  const { stdout, stderr } = await shown(t, { isStale: true, requests: [] })
  assert.equal(stdout, 'no slow requests\n')
  assert.match(stderr, /the event loop is blocked: these are the last known requests/)
})

test('the data is given as it is', async t => {
  assert.deepEqual(JSON.parse((await shown(t, { isStale: false, requests: REQUESTS }, '--json')).stdout).requests, REQUESTS)
})

test('on demand each has its steps in order, and nothing in them can control the terminal', async t => {
  const line = { function: 'load\u001b[2J', file: 'orders.js', line: 21, column: 1, awaited: 'pg', via: null }
  const steps = [
    { kind: 'own', atMs: 0, ms: 4.2, route: null, call: null, line: null },
    { kind: 'waiting', atMs: 4.2, ms: 58, route: null, call: { kind: 'redis', operation: 'GET', target: 'db:6379' }, line },
    { kind: 'behind', atMs: 62, ms: 31, route: 'POST /login', call: null, line: null }
  ]
  const { stdout } = await shown(t, { isStale: false, requests: [{ ...REQUESTS[0], steps }] }, '--steps', '--wide')
  const [, , , title, titles, own, waiting, behind] = stdout.split('\n')
  assert.match(title, /GET \/fast: 821 ms$/)
  assert.match(titles, /^ *AFTER +FOR +STEP$/)
  assert.match(own, /^0\.0 ms +4\.2 ms +its own code$/)
  assert.match(waiting, /^4\.2 ms +58 ms +waiting for redis GET db:6379 at load\uFFFD\[2J orders\.js:21$/)
  assert.match(behind, /^ *62 ms +31 ms +behind POST \/login$/)
})
