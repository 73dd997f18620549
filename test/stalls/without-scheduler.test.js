'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const os = require('node:os')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { start } = require('./started')

// A system that does not report how long a thread waits for a CPU.
const env = { NODE_OPTIONS: `--require=${path.join(__dirname, '../fixtures/platforms/darwin.js')}` }
const skip = process.platform === 'win32' && 'no SIGSTOP'
const UNDECIDED = /^event loop stalled \d+ ms.*unknown \(.*, or no CPU time available: this system does not report which\)$/

test('code that ran is named, in JavaScript and in a call that waits', { skip }, async t => {
  const app = await start(t, 'block.js', { env })
  const spin = await app.stallOf(() => app.get('/spin/400'), ({ durationMs, route }) => durationMs >= 300 && route === 'GET /spin/:ms')
  // On a crowded machine it may have had too little CPU time.
  assert.ok(['code', 'unknown'].includes(spin.cause), JSON.stringify(spin))
  assert.equal(spin.evidence.runQueueMs, null)
  if (spin.cause === 'code') assert.equal(spin.culprit.function, 'spin')
})

test('a process that was stopped may as well have had no CPU time: both are named, and no code', { skip }, async t => {
  const app = await start(t, 'block.js', { env })
  await app.get('/quick')
  app.kill('SIGSTOP')
  await sleep(1500)
  app.kill('SIGCONT')
  const isIt = ({ durationMs }) => durationMs >= 750
  const stall = await app.stall(isIt)
  assert.deepEqual([stall.cause, stall.culprit], ['unknown', null], JSON.stringify(stall))
  const { msg } = await app.line(({ stall, msg }) => msg !== undefined && stall && isIt(stall))
  assert.match(msg, UNDECIDED)
})

test('of a process beside many busy ones nothing is claimed: no code, no collector, no suspension', { skip }, async t => {
  const app = await start(t, 'crowded.js', { env, args: [String(os.availableParallelism() * 6), '5000'], isListening: false })
  const { crowded: { stalls, findings } } = await app.line(({ crowded }) => crowded !== undefined)
  const undecided = stalls.filter(({ cause }) => cause === 'unknown')
  assert.ok(stalls.length === 0 || undecided.length >= stalls.length * 0.8, JSON.stringify(stalls.map(({ durationMs, cause, evidence }) => [durationMs, cause, evidence])))
  assert.ok(!stalls.some(({ cause }) => cause === 'suspended'))
  const ids = findings.map(({ id }) => id)
  assert.ok(!ids.some(id => id.startsWith('hot-') || id === 'gc-pressure' || id === 'suspended'), JSON.stringify(findings))
})
