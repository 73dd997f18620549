'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { describeCulprit, describeStall, toLogFields } = require('../../lib/shared/stalls/stall-line')

const COLLECTING = { cpuMs: 1500, runQueueMs: 100, throttledMs: 0, observerLateMs: 0, codeMs: 30, gcMs: 1960 }

test('the line says what the system or the collector did', () => {
  const stall = { at: 0, durationMs: 300, route: null, culprit: null, stack: [], evidence: { ...COLLECTING, runQueueMs: 210.4, throttledMs: 180 } }
  assert.equal(describeStall({ ...stall, cause: 'starved' }), 'event loop stalled 300 ms: starved (waited 210 ms for a CPU, held back 180 ms by the CPU quota)')
  assert.equal(describeStall({ ...stall, cause: 'gc' }), 'event loop stalled 300 ms: gc (1960 ms of garbage collection)')
  assert.equal(describeStall({ ...stall, cause: 'suspended' }), 'event loop stalled 300 ms: suspended')
})

test('a logged report has the innermost ten frames, and the report itself keeps all', () => {
  const stack = Array.from({ length: 50 }, (_, depth) => ({ function: `f${depth}`, file: 'app.js', line: 1, column: 1 }))
  const stall = { cause: 'code', stack }
  assert.deepEqual(toLogFields(stall), { cause: 'code', stack: stack.slice(0, 10) })
  assert.equal(stall.stack.length, 50)
})

test('the line says what took the time, by which dependency it was reached, and which line is to be mended', () => {
  const culprit = { function: 'snapshotState', file: 'src/orders.js', line: 18, column: 3, functionLine: 12, call: null, via: null, share: 1 }
  const via = { package: 'express', function: 'res.json' }
  assert.equal(describeCulprit(culprit), 'snapshotState (src/orders.js:18)')
  assert.equal(describeCulprit({ ...culprit, call: 'JSON.parse' }), 'JSON.parse called by snapshotState (src/orders.js:18)')
  assert.equal(describeCulprit({ ...culprit, via }), 'express res.json called by snapshotState (src/orders.js:18)')
  assert.equal(describeCulprit({ ...culprit, call: 'JSON.stringify', via }), 'JSON.stringify by express res.json called by snapshotState (src/orders.js:18)')
  assert.equal(describeCulprit({ ...culprit, file: '' }), 'snapshotState')
  const stall = { durationMs: 412, cause: 'code', route: 'GET /orders', culprit: { ...culprit, via }, stack: [], evidence: COLLECTING }
  assert.equal(describeStall(stall), 'event loop stalled 412 ms in GET /orders: express res.json called by snapshotState (src/orders.js:18), cause code')
})
