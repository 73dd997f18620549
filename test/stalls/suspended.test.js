'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { setTimeout: sleep } = require('node:timers/promises')
const { start } = require('./started')

const STOPPED_MS = 2000

async function stopFor (app, ms) {
  app.kill('SIGSTOP')
  await sleep(ms)
  app.kill('SIGCONT')
}

test('a process that was stopped and continued was not stalled by its code', { skip: process.platform === 'win32' && 'no SIGSTOP' }, async t => {
  const app = await start(t, 'block.js')
  await stopFor(app, STOPPED_MS)
  // A loop that was due to tick when it was stopped is late by up to a tick less than it was stopped for.
  const stall = await app.stall(({ durationMs }) => durationMs >= STOPPED_MS / 2)
  assert.ok(['suspended', 'starved'].includes(stall.cause), JSON.stringify(stall))
  assert.deepEqual([stall.route, stall.culprit], [null, null])
})

test('a stop in the middle of a request is not the fault of its handler', { skip: process.platform === 'win32' && 'no SIGSTOP' }, async t => {
  const app = await start(t, 'block.js')
  const answer = app.get('/compute/400')
  await sleep(100)
  await stopFor(app, STOPPED_MS)
  await answer
  const stall = await app.stall(({ durationMs }) => durationMs >= STOPPED_MS / 2)
  assert.ok(['suspended', 'starved'].includes(stall.cause), JSON.stringify(stall))
})

test('a stop that is the smaller part of a stall does not take the blame from its code', { skip: process.platform === 'win32' && 'no SIGSTOP' }, async t => {
  const app = await start(t, 'block.js')
  const answer = app.get('/compute/3000')
  await sleep(500)
  await stopFor(app, STOPPED_MS / 4)
  await answer
  const stall = await app.stall(({ route }) => route === 'GET /compute/:ms')
  assert.ok(['code', 'starved'].includes(stall.cause), JSON.stringify(stall))
})
