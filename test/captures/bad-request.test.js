'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { createDiagnostics } = require('../..')
const { filesIn } = require('../store/scratch')
const { run, outcomes } = require('./running')

const BAD = [
  ['ERR_LOOPSCOPE_UNKNOWN_KIND', 'nonsense'],
  ['ERR_LOOPSCOPE_UNKNOWN_KIND', undefined],
  ['ERR_LOOPSCOPE_UNKNOWN_KIND', 'constructor'],
  ['ERR_LOOPSCOPE_UNKNOWN_FORMAT', 'cpu', { format: 'svg' }],
  ['ERR_LOOPSCOPE_UNKNOWN_FORMAT', 'cpu', { format: 'toString' }],
  ['ERR_LOOPSCOPE_UNKNOWN_OPTION', 'cpu', { duration: 10 }],
  ['ERR_LOOPSCOPE_INVALID_OPTION', 'cpu', null],
  ['ERR_LOOPSCOPE_INVALID_OPTION', 'cpu', 10],
  ['ERR_LOOPSCOPE_INVALID_OPTION', 'cpu', { seconds: 0 }],
  ['ERR_LOOPSCOPE_INVALID_OPTION', 'cpu', { seconds: -1 }],
  ['ERR_LOOPSCOPE_INVALID_OPTION', 'cpu', { seconds: 300.5 }],
  ['ERR_LOOPSCOPE_INVALID_OPTION', 'cpu', { seconds: NaN }],
  ['ERR_LOOPSCOPE_INVALID_OPTION', 'cpu', { seconds: '10' }],
  ['ERR_LOOPSCOPE_INVALID_OPTION', 'cpu', { last: 0 }],
  ['ERR_LOOPSCOPE_INVALID_OPTION', 'cpu', { last: 601 }],
  ['ERR_LOOPSCOPE_INVALID_OPTION', 'cpu', { signal: 'SIGUSR2' }],
  ['ERR_LOOPSCOPE_INVALID_OPTION', 'cpu', { route: '' }],
  ['ERR_LOOPSCOPE_INVALID_OPTION', 'cpu', { route: 7 }],
  ['ERR_LOOPSCOPE_INVALID_OPTION', 'cpu', { route: 'x'.repeat(1001) }],
  ['ERR_LOOPSCOPE_UNKNOWN_OPTION', 'heap-profile', { route: 'GET /' }]
]

test('refuses what it cannot do by a code, writes nothing, and goes on', async t => {
  const app = await run(t)
  for (const [code, ...request] of BAD) await assert.rejects(app.handle.capture(...request), { code }, JSON.stringify(request))
  const { path } = await app.handle.capture('cpu', { seconds: 0.1 })
  assert.deepEqual(filesIn(app.dir), [path])
  assert.deepEqual(await outcomes(app), { 'cpu api ok': 1 })
})

test('never changes the options that it is given', async t => {
  const { handle } = await run(t)
  await handle.capture('cpu', Object.freeze({ seconds: 0.1, format: 'text' }))
})

test('captures nothing before start() and after close()', async t => {
  const handle = createDiagnostics({ signals: false })
  await assert.rejects(handle.capture('cpu'), { code: 'ERR_LOOPSCOPE_NOT_RUNNING' })
  const app = await run(t)
  await app.handle.close()
  await assert.rejects(app.handle.capture('cpu'), { code: 'ERR_LOOPSCOPE_NOT_RUNNING' })
})

test('has nothing to cut a profile from when the recorder is turned off', async t => {
  const { handle, logged } = await run(t, { recorder: false })
  await assert.rejects(handle.capture('cpu'), { code: 'ERR_LOOPSCOPE_RECORDER_OFF', message: /option recorder is false/ })
  assert.equal(handle.running, true)
  assert.deepEqual(logged, [])
})
