'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { describeCulprit, describeStall, toLogFields } = require('../../lib/shared/stalls/stall-line')

const COLLECTING = { cpuMs: 1500, runQueueMs: 100, throttledMs: 0, observerLateMs: 0, codeMs: 30, gcMs: 1960 }

const whoOf = (culprit, stall = { route: 'GET /orders', stack: [] }) => describeCulprit(culprit, stall)

const CULPRIT = { function: 'login', file: 'routes/login.js', line: 12, column: 3, call: 'pbkdf2Sync', share: 0.98 }
const stallOf = facts => ({ at: 0, durationMs: 250, cause: 'code', route: null, culprit: null, stack: [], evidence: {}, ...facts })

test('a stall reads as one line: how long, where, what, why', () => {
  assert.equal(describeStall(stallOf({ route: 'GET /login', culprit: CULPRIT })),
    'event loop stalled 250 ms in GET /login: pbkdf2Sync called by login (routes/login.js:12), cause code')
  assert.equal(describeStall(stallOf({ culprit: { ...CULPRIT, call: null } })),
    'event loop stalled 250 ms: login (routes/login.js:12), cause code')
  assert.equal(describeStall(stallOf({ cause: 'starved', route: 'GET /' })), 'event loop stalled 250 ms in GET /: starved')
})

test('the line shows what the system or the collector did', () => {
  const stall = { at: 0, durationMs: 300, route: null, culprit: null, stack: [], evidence: { ...COLLECTING, runQueueMs: 210.4, throttledMs: 180 } }
  assert.equal(describeStall({ ...stall, cause: 'starved' }), 'event loop stalled 300 ms: starved (waited 210 ms for a CPU, throttled for 180 ms by the CPU quota)')
  assert.equal(describeStall({ ...stall, cause: 'gc' }), 'event loop stalled 300 ms: gc (1960 ms of garbage collection, waited 210 ms for a CPU, throttled for 180 ms by the CPU quota)')
  assert.equal(describeStall({ ...stall, cause: 'suspended' }), 'event loop stalled 300 ms: suspended')
})

test('the line shows that most of a stall was waiting, whatever its cause', () => {
  const stall = stallOf({ durationMs: 300, culprit: CULPRIT, evidence: { ...COLLECTING, runQueueMs: 170.2 } })
  assert.match(describeStall(stall), /cause code \(waited 170 ms for a CPU\)$/)
  assert.match(describeStall({ ...stall, cause: 'gc' }), /cause gc \(1960 ms of garbage collection, waited 170 ms for a CPU\)$/)
  assert.match(describeStall({ ...stall, evidence: { ...COLLECTING, runQueueMs: 149 } }), /cause code$/)
})

test('a logged report has the innermost ten frames, and the report itself keeps all', () => {
  const stack = Array.from({ length: 50 }, (_, depth) => ({ function: `f${depth}`, file: 'app.js', line: 1, column: 1 }))
  const stall = { cause: 'code', trace: null, stack }
  assert.deepEqual(toLogFields(stall), { stall: { ...stall, stack: stack.slice(0, 10) } })
  assert.equal(stall.stack.length, 50)
})

test('the ids of the trace are fields of the line itself, as OpenTelemetry names them', () => {
  const trace = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
  const { trace_id: traceId, span_id: spanId, stall } = toLogFields({ trace, stack: [] })
  assert.deepEqual({ traceId, spanId }, trace)
  assert.deepEqual(stall.trace, trace)
})

test('the line names what took the time, through which dependency, and the line to change', () => {
  const culprit = { function: 'snapshotState', file: 'src/orders.js', line: 18, column: 3, functionLine: 12, call: null, via: null, share: 1 }
  const via = { package: 'express', function: 'res.json', through: null }
  assert.equal(whoOf(culprit), 'snapshotState (src/orders.js:18)')
  assert.equal(whoOf({ ...culprit, call: 'JSON.parse' }), 'JSON.parse called by snapshotState (src/orders.js:18)')
  assert.equal(whoOf({ ...culprit, via }), 'express res.json called by snapshotState (src/orders.js:18)')
  assert.equal(whoOf({ ...culprit, call: 'JSON.stringify', via }), 'JSON.stringify by express res.json called by snapshotState (src/orders.js:18)')
  assert.equal(whoOf({ ...culprit, file: '' }), 'snapshotState')
  const through = { package: 'lodash', function: 'uniqWith' }
  assert.equal(whoOf({ ...culprit, via: { ...via, through } }), 'express res.json, through lodash uniqWith, called by snapshotState (src/orders.js:18)')
  const own = { ...culprit, function: 'select', file: 'node_modules/outer/index.js', via: { package: 'outer', function: 'select', through } }
  assert.equal(whoOf(own), 'select (node_modules/outer/index.js:18), through lodash uniqWith')
  const stall = { durationMs: 412, cause: 'code', route: 'GET /orders', culprit: { ...culprit, via }, stack: [], evidence: COLLECTING }
  assert.equal(describeStall(stall), 'event loop stalled 412 ms in GET /orders: express res.json called by snapshotState (src/orders.js:18), cause code')
})

test('the line shows that the recorder had not started when the stall began', () => {
  const stall = { durationMs: 300, startingUp: true, cause: 'unknown', route: null, culprit: null, stack: [], evidence: COLLECTING }
  assert.equal(describeStall(stall), 'event loop stalled 300 ms while starting up: unknown')
  assert.equal(describeStall({ ...stall, route: 'GET /orders' }), 'event loop stalled 300 ms in GET /orders while starting up: unknown')
})

test('a function without a name is shown as the handler of the route where only handlers are called like that', () => {
  const culprit = { function: '(anonymous)', file: 'src/orders.js', line: 25, column: 7, functionLine: 20, call: null, via: null, share: 1 }
  const frame = (name, file, line = 1) => ({ function: name, file, line, column: 1 })
  const own = frame('(anonymous)', culprit.file, culprit.functionLine)
  const lineBelow = (...callers) => whoOf(culprit, { route: 'PUT /orders/:id', stack: [frame('work', 'src/work.js'), own, ...callers] })
  const [named, unnamed] = ['(anonymous) PUT handler (src/orders.js:25)', '(anonymous) (src/orders.js:25)']
  for (const folder of ['node_modules/router/lib', 'node_modules/express/lib/router', '/srv/node_modules/.pnpm/router@2.2.0/node_modules/router/lib']) {
    const layer = frame('handleRequest', `${folder}/layer.js`)
    assert.equal(lineBelow(layer, frame('next', `${folder}/route.js`)), named, folder)
    assert.equal(lineBelow(layer, frame('next', `${folder}/index.js`)), unnamed, 'middleware')
  }
  assert.equal(lineBelow(frame('preHandlerCallback', 'node_modules/fastify/lib/handle-request.js')), named)
  assert.equal(lineBelow(frame('hookIterator', 'node_modules/fastify/lib/hooks.js')), unnamed)
  assert.equal(lineBelow(frame('#dispatch', 'node_modules/hono/dist/hono-base.js')), named)
  assert.equal(lineBelow(frame('dispatch', 'node_modules/hono/dist/compose.js')), unnamed)
  assert.equal(lineBelow(frame('dispatch', 'node_modules/koa-compose/index.js')), unnamed)
  assert.equal(lineBelow(), unnamed, 'after an await nobody is above it')
})

test('outside a route, and with a name, the culprit is called what it is called', () => {
  const culprit = { function: '(anonymous)', file: 'src/orders.js', line: 25, column: 7, functionLine: 20, call: null, via: null, share: 1 }
  const stack = ['src/orders.js', 'node_modules/router/lib/layer.js', 'node_modules/router/lib/route.js']
    .map(file => ({ function: '(anonymous)', file, line: 20, column: 1 }))
  for (const route of [null, 'GET _unmatched']) assert.equal(whoOf(culprit, { route, stack }), '(anonymous) (src/orders.js:25)')
  assert.equal(whoOf({ ...culprit, function: 'list' }, { route: 'GET /orders', stack }), 'list (src/orders.js:25)')
})
