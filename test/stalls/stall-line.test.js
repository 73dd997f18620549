'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { describeStall, toLogFields } = require('../../lib/shared/stalls/stall-line')

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
