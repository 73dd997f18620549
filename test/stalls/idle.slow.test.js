'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { quietMachine } = require('../runner/quiet-machine')
const { start } = require('./started')

const STALLS = 16
// Looking at late ticks alone finds about half of them.
const MIN_FOUND = 13

test('half as long again as the threshold, a stall of an idle process is found where it took no processor time', async t => {
  await quietMachine(t)
  const app = await start(t, 'idle.js', { args: [`${STALLS}`] })
  await app.stall(({ durationMs }) => durationMs > 800) // the last: its report comes after those of all before it
  const waits = app.lines.flatMap(({ waited }) => waited ?? []).slice(0, STALLS)
  const found = waits.filter(({ fromMs, toMs }) => app.stalls.some(({ at, durationMs }) => at < toMs && at + durationMs > fromMs))
  assert.equal(waits.length, STALLS)
  assert.ok(found.length >= MIN_FOUND, `${found.length} of ${STALLS}: ${JSON.stringify(app.stalls)}`)
})
