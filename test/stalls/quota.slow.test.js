'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { start } = require('./started')
const { createQuota } = require('./cpu-quota')

test('what a CPU quota holds back is starved and not the fault of the code', async t => {
  const quota = createQuota(t, 20)
  if ('reason' in quota) return t.skip(quota.reason)
  const app = await start(t, 'block.js', { cgroupProcs: quota.procs })
  const readyAt = Date.now() // what the observer did not see from its beginning it cannot explain
  for (const cpuMs of [30, 40, 50, 60, 300, 60, 50, 40, 30]) await app.get(`/compute/${cpuMs}`)
  await app.stall(({ route, durationMs }) => route === 'GET /compute/:ms' && durationMs >= 600)
  await app.stall(({ at, durationMs }) => at >= readyAt && durationMs < 600)
  const stalls = app.stalls.filter(({ at }) => at >= readyAt)
  for (const stall of stalls) {
    assert.ok(['starved', 'suspended'].includes(stall.cause), JSON.stringify(stall))
  }
  // On a machine that others keep busy a short stall can be over without the quota being used up.
  assert.ok(stalls.some(({ evidence }) => evidence.throttledMs > 0), JSON.stringify(stalls))
})
