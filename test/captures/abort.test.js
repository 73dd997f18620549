'use strict'

const assert = require('node:assert/strict')
const { getEventListeners } = require('node:events')
const test = require('node:test')
const { filesIn } = require('../store/scratch')
const { run, ready, outcomes } = require('./running')

test('an AbortSignal ends a capture under way, by a code and with its reason', async t => {
  const app = await run(t)
  await ready(app)
  const files = filesIn(app.dir)
  const controller = new AbortController()
  const capture = app.handle.capture('cpu', { seconds: 300, signal: controller.signal })
  const cancelled = assert.rejects(capture, { code: 'ERR_LOOPSCOPE_CAPTURE_CANCELLED', message: /the operator left/ })
  await app.handle.capture('cpu', { seconds: 0.5 }) // the one before is under way by now
  controller.abort('the operator left')
  await cancelled
  assert.equal((await outcomes(app))['cpu api cancelled'], 1)
  assert.equal(filesIn(app.dir).length, files.length + 1)
})

test('a signal that was aborted before is a cancelled capture, too', async t => {
  const app = await run(t)
  const capture = app.handle.capture('cpu', { seconds: 300, signal: AbortSignal.abort() })
  await assert.rejects(capture, { code: 'ERR_LOOPSCOPE_CAPTURE_CANCELLED' })
})

test('captures that were given up leave no listener and are no longer in progress', async t => {
  const app = await run(t)
  const controller = new AbortController()
  const captures = Array.from({ length: 9 }, () => app.handle.capture('cpu', { seconds: 300, signal: controller.signal }))
  const ended = Promise.allSettled(captures)
  await app.handle.capture('cpu', { seconds: 0.5, signal: controller.signal })
  controller.abort()
  assert.deepEqual(new Set((await ended).map(({ reason }) => reason.code)), new Set(['ERR_LOOPSCOPE_CAPTURE_CANCELLED']))
  assert.equal(getEventListeners(controller.signal, 'abort').length, 0)
  const { values } = await app.handle.registry.getSingleMetric('loopscope_captures_in_progress').get()
  assert.deepEqual(values.map(({ value }) => value), [0])
})

test('close() ends captures under way by a code, without waiting for them', async t => {
  const { handle } = await run(t)
  const lost = assert.rejects(handle.capture('cpu', { seconds: 300 }), { code: 'ERR_LOOPSCOPE_OBSERVER_LOST' })
  await handle.capture('cpu', { seconds: 0.5 })
  await handle.close()
  await lost
})
