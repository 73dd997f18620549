'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const test = require('node:test')
const { WebSocket } = require('ws')
const v8 = require('node:v8')
const { drive } = require('./child')

const PAUSED = 'LOOPSCOPE_WARN_RECORDER_PAUSED'

const IS_LINUX = process.platform === 'linux'
// The engine that a debugger would hear.
const BY_INSPECTOR = { options: { recorder: { engine: 'inspector' } } }
const WITHOUT = { skip: typeof v8.startCpuProfile === 'function' ? false : 'this Node.js has no v8.startCpuProfile()' }
const OF_LINUX = { skip: IS_LINUX ? false : 'only Linux tells who is connected' }

const capture = app => app.run(({ handle }) => handle.capture('cpu', { seconds: 0.05 }).then(() => 'ok', ({ code, message }) => `${code} ${message}`))
const warnings = app => app.lines().flatMap(({ code }) => code ?? [])

/** The recorder looks for a debugger once a second: asks until the answer matches. */
async function captureUntil (app, pattern) {
  for (;;) {
    const answer = await capture(app)
    if (pattern.test(answer)) return answer
  }
}

/** A client of the inspector, as DevTools are, with the names of the events that it hears. */
async function attach (t, app) {
  const socket = new WebSocket(await app.run(({ require }) => require('node:inspector').url()))
  t.after(() => socket.terminate())
  const heard = []
  const methods = ['Runtime.enable', 'Debugger.enable', 'Profiler.enable']
  await once(socket, 'open')
  methods.forEach((method, id) => socket.send(JSON.stringify({ id, method })))
  await new Promise(resolve => socket.on('message', data => {
    const { id, method } = JSON.parse(data)
    if (method !== undefined) heard.push(method)
    if (id === methods.length - 1) resolve()
  }))
  return { heard, detach: () => { socket.close() } }
}

/** Resolves when a capture names what has run meanwhile. */
async function captureWork (app) {
  const work = async ({ handle, require }) => {
    function workForDebuggerTest () {
      const until = performance.now() + 100
      while (performance.now() < until);
    }
    const timer = setInterval(workForDebuggerTest, 200)
    const { path } = await handle.capture('cpu', { seconds: 0.5 }).finally(() => clearInterval(timer))
    return require('node:fs').readFileSync(path, 'utf8').includes('workForDebuggerTest')
  }
  while (!await app.run(work));
}

const OPENERS = {
  '--inspect': [['--inspect=127.0.0.1:0'], () => {}],
  SIGUSR1: [['--inspect-port=127.0.0.1:0'], async app => {
    app.child.kill('SIGUSR1')
    await app.run(async ({ require }) => {
      while (require('node:inspector').url() === undefined) await new Promise(setImmediate)
    })
  }]
}

for (const [how, [execArgv, open]] of Object.entries(OPENERS)) {
  test(`with an inspector opened by ${how} the recorder pauses while a debugger is connected, as often as one comes`, OF_LINUX, async t => {
    const app = await drive(t, { ...BY_INSPECTOR, execArgv })
    await open(app)
    for (let times = 0; times < 2; times++) {
      await captureUntil(app, /^ok$/)
      await captureWork(app)
      const { detach } = await attach(t, app)
      assert.match(await captureUntil(app, /^ERR_LOOPSCOPE_RECORDER_OFF/), /paused: a debugger is connected to ws:\/\/127\.0\.0\.1:/)
      detach()
    }
    await captureUntil(app, /^ok$/)
    await captureWork(app)
    assert.deepEqual(warnings(app), [PAUSED])
  })
}

test('an inspector that is closed under a debugger has the recorder go on', async t => {
  const app = await drive(t, BY_INSPECTOR)
  await captureUntil(app, /^ok$/)
  await app.run(({ require }) => require('node:inspector').open(0, '127.0.0.1'))
  await attach(t, app)
  await captureUntil(app, /^ERR_LOOPSCOPE_RECORDER_OFF/)
  await app.run(({ require }) => require('node:inspector').close())
  await captureUntil(app, /^ok$/)
})

test('a debugger client sees no pauses or profiles of loopscope, and stalls are still found', async t => {
  const app = await drive(t, { ...BY_INSPECTOR, execArgv: ['--inspect=127.0.0.1:0'] })
  await captureUntil(app, IS_LINUX ? /^ok$/ : /paused/) // a window is open when the client comes
  const { heard } = await attach(t, app)
  const { durationMs } = await app.run(({ handle }) => new Promise(resolve => {
    handle.once('stall', resolve)
    const until = performance.now() + 300
    while (performance.now() < until);
  }))
  assert.ok(durationMs >= 100)
  await captureUntil(app, /^ERR_LOOPSCOPE_RECORDER_OFF/)
  assert.deepEqual(heard.filter(method => /^(Debugger\.(paused|resumed)|Profiler\.)/.test(method)), [])
})

test('where Node.js has another profiler the recorder goes on beside a debugger, which hears nothing of it', WITHOUT, async t => {
  const app = await drive(t, { execArgv: ['--inspect=127.0.0.1:0'] })
  await captureUntil(app, /^ok$/)
  const { heard, detach } = await attach(t, app)
  for (let times = 0; times < 2; times++) {
    await captureWork(app)
    await new Promise(resolve => setTimeout(resolve, 1500)) // by then it has been looked for again
  }
  const stall = await app.run(({ handle }) => new Promise(resolve => {
    handle.once('stall', resolve)
    function stallForDebuggerTest () {
      const until = performance.now() + 400
      while (performance.now() < until);
    }
    setTimeout(stallForDebuggerTest, 100)
  }))
  assert.equal(stall.culprit?.function, 'stallForDebuggerTest')
  assert.deepEqual(heard.filter(method => /^(Debugger\.(paused|resumed)|Profiler\.)/.test(method)), [])
  detach()
  await captureWork(app)
  assert.deepEqual(warnings(app), [])
})

test('an open inspector does not keep an exiting process, nor does the observer', async t => {
  const app = await drive(t, { execArgv: ['--inspect=127.0.0.1:0'] })
  await captureUntil(app, IS_LINUX ? /^ok$/ : /paused/)
  app.child.send({ work: '() => process.exit(3)', values: [] })
  const { code, stderr } = await app.ended
  assert.equal(code, 3)
  assert.doesNotMatch(stderr, /Waiting for the debugger/)
})
