'use strict'

// The channel to the parent is the application's: it ends, stays and hears what it would have without us. And whose parent is not PM2 has
// nothing to do with us at all.

const assert = require('node:assert/strict')
const cluster = require('node:cluster')
const { once } = require('node:events')
const net = require('node:net')
const path = require('node:path')
const test = require('node:test')
const { setTimeout: wait } = require('node:timers/promises')
const { CONTAINERS, VARIABLES, startUnderPm2, writeApplication } = require('./fake-pm2')
const { listen } = require('../http/listening')

const STARTED = 'createDiagnostics({ logger }).start()\n'
// A process that does not end is the fault that is looked for.
const PATIENCE_MS = 60_000

const OFF = { LOOPSCOPE_PM2: 'off' }
const isLoopscope = ({ type = '' }) => type.startsWith('axm:')

// What each prints when it is over, and whether it waits for a message.
const PROGRAMS = {
  'that does nothing more': { source: '', printed: '' },
  'that listens once': { source: "process.once('message', message => console.log(message))", printed: 'end\n', waits: true },
  'that listens and stops': { source: "const listen = () => {}; process.on('message', listen); setTimeout(() => process.off('message', listen), 100)", printed: '' },
  'that holds the channel itself': { source: "process.channel.ref(); process.once('message', message => { console.log(message); process.channel.unref() })", printed: 'end\n', waits: true },
  'that listens and lets the channel go': { source: "process.on('message', () => {}); process.channel.unref()", printed: '' },
  'that listens for the end of the channel': { source: "process.once('disconnect', () => console.log('alone')); process.once('message', () => process.disconnect())", printed: 'alone\n', waits: true },
  'that takes all listeners away and listens again': { source: "process.removeAllListeners('message'); process.once('message', message => console.log(message))", printed: 'end\n', waits: true },
  'that takes them away while it listens': { source: "process.on('message', () => {}); process.removeAllListeners('message')", printed: '' }
}

for (const [what, { source, printed, waits = false }] of Object.entries(PROGRAMS)) {
  test(`a program ${what} ends as it does without loopscope`, { timeout: PATIENCE_MS }, async t => {
    for (const env of [OFF, {}]) {
      const app = startUnderPm2(t, `${STARTED}${source}\nprocess.send('ready')`, { env })
      await app.heard(message => message === 'ready')
      if (waits) {
        await wait(300) // in which it would end that does not wait
        app.child.send('end')
      }
      const { code, signal, stdout } = await app.ended
      assert.deepEqual({ code, signal, stdout }, { code: 0, signal: null, stdout: printed })
    }
  })
}

test('what came before the application listened reaches it then, in its order and with its handle', { skip: process.platform === 'win32' && 'the application is told by a signal' }, async t => {
  const source = `
    process.on('SIGHUP', () => process.on('message', (message, handle) => process.send({ heard: message, isServer: typeof handle?.listen === 'function' })))
    setInterval(() => {}, 1000)`
  const server = net.createServer()
  await listen(t, server)
  const app = startUnderPm2(t, STARTED + source)
  await app.heard(isLoopscope)
  app.child.send('first')
  app.child.send({ msg: 'second' })
  app.child.send('third', server)
  await app.trigger('loopscope:why')
  app.child.kill('SIGHUP')
  await app.heard(({ heard }) => heard === 'third')
  app.child.send('fourth')
  await app.heard(({ heard }) => heard === 'fourth')
  assert.deepEqual(app.messages.filter(({ heard }) => heard !== undefined), [
    { heard: 'first', isServer: false }, { heard: { msg: 'second' }, isServer: false }, { heard: 'third', isServer: true }, { heard: 'fourth', isServer: false }
  ])
})

test('an application that listens hears each message once', async t => {
  const app = startUnderPm2(t, `${STARTED}process.on('message', message => process.send({ heard: message }))`)
  await app.heard(isLoopscope)
  for (const message of ['one', 'two']) app.child.send(message)
  await app.heard(({ heard }) => heard === 'two')
  assert.deepEqual(app.messages.filter(({ heard }) => heard !== undefined).map(({ heard }) => heard), ['one', 'two'])
})

const ELSEWHERE = {
  'a child of the application, which has its variables': { direct: true },
  'a process without a number of PM2': { env: { pm_id: undefined } },
  'an application that has turned it off': { env: OFF }
}

for (const [who, how] of Object.entries(ELSEWHERE)) {
  test(`nothing is sent by ${who}, and nothing listens`, async t => {
    const app = startUnderPm2(t, `${STARTED}process.send({ listeners: process.listenerCount('message') })\nsetInterval(() => {}, 1000)`, how)
    const { listeners } = await app.heard(() => true)
    assert.deepEqual([listeners, app.messages.filter(isLoopscope)], [0, []])
  })
}

test('a primary of the application, in fork mode, gets no message of loopscope from its workers', async t => {
  const source = `
    const cluster = require('node:cluster')
    createDiagnostics({ logger }).start()
    if (cluster.isPrimary) {
      cluster.fork().on('message', message => process.send({ fromWorker: message }))
    } else process.send('of the application')`
  const app = startUnderPm2(t, source)
  await app.heard(isLoopscope)
  assert.deepEqual(await app.heard(({ fromWorker }) => fromWorker !== undefined), { fromWorker: 'of the application' })
})

test('the worker of PM2\'s own cluster sends to it', async t => {
  const file = writeApplication(t, `${STARTED}setInterval(() => {}, 1000)`)
  cluster.setupPrimary({ exec: path.join(CONTAINERS, 'ProcessContainer.js'), silent: true })
  const worker = cluster.fork({ NODE_TEST_CONTEXT: '', pm2_env: JSON.stringify({ ...VARIABLES, pm_id: 0, NODE_APP_INSTANCE: 0, pm_exec_path: file }) })
  t.after(() => worker.process.kill('SIGKILL'))
  const types = []
  worker.on('message', ({ type }) => types.push(type))
  while (types.length < 4) await once(worker, 'message')
  assert.deepEqual(types, ['axm:action', 'axm:action', 'axm:action', 'axm:monitor'])
})
