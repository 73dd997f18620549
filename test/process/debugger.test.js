'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const path = require('node:path')
const test = require('node:test')
const { drive, start, fixtures } = require('./child')

const PAUSED = 'LOOPSCOPE_WARN_RECORDER_PAUSED'

const capture = app => app.run(({ handle }) => handle.capture('cpu', { seconds: 0.05 }).then(() => 'ok', ({ code, message }) => `${code} ${message}`))
const warnings = app => app.lines().flatMap(({ code }) => code ?? [])

/** The recorder looks for a debugger once a second: asks until the answer matches. */
async function captureUntil (app, pattern) {
  for (;;) {
    const answer = await capture(app)
    if (pattern.test(answer)) return answer
  }
}

test('the recorder leaves the profiler to a debugger that was there first, and starts when it is closed', async t => {
  const app = await drive(t, { execArgv: ['--inspect=127.0.0.1:0'] })
  const refused = await capture(app)
  assert.match(refused, /^ERR_LOOPSCOPE_RECORDER_OFF .*the inspector is open at ws:\/\/127\.0\.0\.1:/)
  await app.run(({ require }) => require('node:inspector').close())
  await captureUntil(app, /^ok$/)
  assert.deepEqual(warnings(app), [PAUSED])
})

test('the recorder pauses for an inspector that is opened while it runs, as often as that happens', async t => {
  const app = await drive(t)
  await captureUntil(app, /^ok$/)
  for (let times = 0; times < 2; times++) {
    await app.run(({ require }) => require('node:inspector').open(0, '127.0.0.1'))
    assert.match(await captureUntil(app, /^ERR_LOOPSCOPE_RECORDER_OFF/), /paused while the inspector is open/)
    await app.run(({ require }) => require('node:inspector').close())
    await captureUntil(app, /^ok$/)
  }
  assert.deepEqual(warnings(app), [PAUSED])
})

test('a debugger client sees neither pauses nor profiles of ours, and stalls are still found', async t => {
  const app = await drive(t, { execArgv: ['--inspect=127.0.0.1:0'] })
  await capture(app)
  const url = await app.run(({ require }) => require('node:inspector').url())
  const client = start(t, ['--experimental-websocket', '--no-warnings', path.join(fixtures, 'debugger-client.js'), url])
  await client.until(/^Profiler\.enable$/)
  const { durationMs } = await app.run(({ handle }) => new Promise(resolve => {
    handle.once('stall', resolve)
    const until = performance.now() + 300
    while (performance.now() < until);
  }))
  assert.ok(durationMs >= 100)
  client.child.kill('SIGTERM')
  await once(client.child, 'close')
  assert.deepEqual(client.said(/^(Debugger\.(paused|resumed)|Profiler\.console)/), [])
})

test('a debugger that is attached does not keep an exiting process, nor does the observer', async t => {
  const app = await drive(t, { execArgv: ['--inspect=127.0.0.1:0'] })
  await capture(app)
  app.child.send({ work: '() => process.exit(3)', values: [] })
  const { code, stderr } = await app.ended
  assert.equal(code, 3)
  assert.doesNotMatch(stderr, /Waiting for the debugger/)
})
