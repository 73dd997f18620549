'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const { ObserverClient } = require('../../lib/link/observer-client')
const { monotonicMicros } = require('../../lib/base/monotonic')
const { SharedState } = require('../../lib/link/shared-state')
const { checkRequest } = require('../../lib/shared/captures/kinds')
const { profileOf } = require('../recorder/crafted')
const { makeScratch } = require('../store/scratch')

const RETENTION = { maxCount: 10, maxBytes: 1e9, maxAgeMs: 1e9, minFreeBytes: 0 }
const SETTINGS = {
  stallThresholdMs: 100,
  keepSeconds: 60,
  hz: 100,
  windowsBySession: false,
  titlePrefix: 'observer-test:',
  interruptExpression: '(() => null)',
  appRoot: '/app'
}
const HANDLERS = { rotate () {} }
const NOWHERE = { dir: '/proc/nowhere', retention: RETENTION, appName: 'shop', appRoot: '/app' }

function createSubject (t) {
  const faults = []
  const observer = new ObserverClient({ state: new SharedState(), settings: SETTINGS, handlers: HANDLERS, onMessage () {}, onLost () {}, onEnd: () => false, onFault: error => faults.push(error) })
  const keepAlive = setInterval(() => {}, 1000) // the observer does not
  t.after(async () => {
    clearInterval(keepAlive)
    await observer.stop()
    assert.deepEqual(faults, [])
  })
  return observer
}

function orderOf (t, options) {
  return { request: checkRequest('cpu', options), trigger: 'api', appName: 'shop', appRoot: '/app', dir: makeScratch(t), retention: RETENTION }
}

/** Half a minute of work, of which 20 seconds lie ahead: a busy machine may take long to look at it. */
function recentWindow () {
  return profileOf(Array.from({ length: 3000 }, () => [['serve', 'login', 'node:pbkdf2Sync'], 10_000]), monotonicMicros() - 10e6)
}

test('it starts once, is ready, and stops without a trace', async t => {
  const exitListeners = process.listenerCount('exit')
  const observer = createSubject(t)
  observer.start()
  observer.start()
  assert.deepEqual(await observer.ready, { sessionError: null })
  assert.equal(observer.running, true)
  await observer.stop()
  await observer.stop()
  assert.deepEqual([observer.running, process.listenerCount('exit')], [false, exitListeners])
})

test('it can be stopped at any moment of its start', async t => {
  for (let afterMs = 0; afterMs < 100; afterMs += 10) {
    const observer = createSubject(t)
    observer.start()
    await new Promise(resolve => setTimeout(resolve, afterMs))
    const until = performance.now() + afterMs / 2 // the main thread is busy while the thread asks it for the session
    const stopped = observer.stop()
    while (performance.now() < until);
    await stopped
    assert.equal(observer.running, false)
  }
})

test('a capture is cut from the windows it was sent, encoded and written in the thread', async t => {
  const observer = createSubject(t)
  observer.start()
  await observer.ready // or the window is over before the thread looks at it
  observer.tell('recording', { on: true, reason: '' })
  observer.tell('window', { window: recentWindow() })
  const facts = await observer.ask('capture', { order: orderOf(t, { last: 5, format: 'text' }) })
  assert.deepEqual([facts.kind, facts.format, facts.shortened], ['cpu', 'text', null])
  assert.ok(Math.abs(facts.to - facts.from - 5000) < 1)
  assert.match(fs.readFileSync(facts.path, 'utf8'), /login/)
})

test('its errors arrive with their codes', async t => {
  const observer = createSubject(t)
  observer.start()
  await assert.rejects(observer.ask('capture', { order: orderOf(t) }), { code: 'ERR_LOOPSCOPE_RECORDER_OFF', message: /the recorder has not started yet$/ })
  observer.tell('recording', { on: false, reason: 'a debugger has it' })
  await assert.rejects(observer.ask('capture', { order: orderOf(t) }), { code: 'ERR_LOOPSCOPE_RECORDER_OFF', message: /a debugger has it$/ })
  await assert.rejects(observer.ask('prepareStore', { location: NOWHERE }), { code: 'ERR_LOOPSCOPE_STORE_UNWRITABLE' })
})

test('a capture is cancelled by its signal, before and while it waits', async t => {
  const observer = createSubject(t)
  observer.start()
  observer.tell('recording', { on: true, reason: '' })
  const controller = new AbortController()
  const capture = observer.ask('capture', { order: orderOf(t, { seconds: 300 }) }, controller.signal)
  const late = observer.ask('capture', { order: orderOf(t, { seconds: 300 }) }, AbortSignal.abort('too late'))
  await assert.rejects(late, { code: 'ERR_LOOPSCOPE_CAPTURE_CANCELLED', message: /too late$/ })
  controller.abort('the client left')
  await assert.rejects(capture, { code: 'ERR_LOOPSCOPE_CAPTURE_CANCELLED', message: /the client left$/ })
})

test('open questions to a thread that ends fail with an error, and so do later ones', async t => {
  const observer = createSubject(t)
  await assert.rejects(observer.ask('prepareStore', {}), { code: 'ERR_LOOPSCOPE_OBSERVER_LOST' })
  observer.start()
  await observer.ready
  observer.tell('recording', { on: true, reason: '' })
  const capture = observer.ask('capture', { order: orderOf(t, { seconds: 300 }) })
  await Promise.all([observer.stop(), assert.rejects(capture, { code: 'ERR_LOOPSCOPE_OBSERVER_LOST' })])
  await assert.rejects(observer.ask('prepareStore', {}), { code: 'ERR_LOOPSCOPE_OBSERVER_LOST' })
})

test('a message that it cannot read or handle is reported as a fault, and it goes on', async t => {
  const faults = []
  const observer = new ObserverClient({ state: new SharedState(), settings: SETTINGS, handlers: HANDLERS, onMessage () {}, onLost () {}, onEnd: () => false, onFault: error => faults.push(error.message) })
  const keepAlive = setInterval(() => {}, 1000)
  t.after(() => {
    clearInterval(keepAlive)
    return observer.stop()
  })
  observer.start()
  observer.tell('window', { window: null })
  observer.tell('requestNotes', {})
  await assert.rejects(observer.ask('prepareStore', { location: NOWHERE }), { code: 'ERR_LOOPSCOPE_STORE_UNWRITABLE' })
  assert.equal(faults.length, 2, faults.join())
  assert.equal(observer.running, true)
})

test('a lost thread can be started again, and questions meanwhile are rejected', async t => {
  const reasons = []
  const observer = new ObserverClient({ state: new SharedState(), settings: SETTINGS, handlers: HANDLERS, onMessage () {}, onLost: reason => reasons.push(reason), onFault () {}, onEnd: () => false })
  const keepAlive = setInterval(() => {}, 1000)
  t.after(() => {
    clearInterval(keepAlive)
    return observer.stop()
  })
  for (let times = 0; times < 3; times++) {
    const made = once(process, 'worker')
    observer.start()
    const [worker] = await made
    assert.deepEqual(await observer.ready, { sessionError: null })
    await worker.terminate()
    assert.equal(reasons.length, times + 1)
    await assert.rejects(observer.askWhenReady('prepareStore', {}), { code: 'ERR_LOOPSCOPE_OBSERVER_LOST' })
  }
})

test('one that cannot be made is lost', async () => {
  const reasons = []
  const observer = new ObserverClient({ state: new SharedState(), settings: { ...SETTINGS, interruptExpression: () => null }, handlers: HANDLERS, onMessage () {}, onFault () {}, onEnd: () => false, onLost: reason => reasons.push(reason) })
  for (const starts of [1, 2]) {
    observer.start()
    assert.deepEqual([observer.running, reasons.length], [false, starts])
    await assert.rejects(observer.ready, { code: 'ERR_LOOPSCOPE_OBSERVER_LOST', message: /could not be cloned/ })
  }
})

test('a stall is explained from the window that holds it', async t => {
  const observer = createSubject(t)
  observer.start()
  observer.tell('recording', { on: true, reason: '' })
  observer.tell('window', { window: recentWindow() })
  const toMicros = monotonicMicros()
  const { culprit, stack, evidence } = await observer.ask('stall', { measured: { id: 1, startingUp: false, fromMicros: toMicros - 320e3, toMicros, delayMs: 300, ownMs: 0, ownWork: [] }, subject: { route: null, trace: null } })
  assert.deepEqual([culprit.function, culprit.call, culprit.share, stack.length], ['login', 'pbkdf2Sync', 1, 3])
  assert.ok(Math.abs(evidence.codeMs - 300) < 1)
})

test('a process that has started one ends by itself', () => {
  const paths = ['link/observer-client', 'link/shared-state'].map(name => JSON.stringify(require.resolve(`../../lib/${name}`)))
  const script = `
    const { SharedState } = require(${paths[1]})
    new (require(${paths[0]}).ObserverClient)({ state: new SharedState(), settings: ${JSON.stringify(SETTINGS)}, handlers: {}, onFault () {}, onEnd: () => false }).start()`
  const { status, stderr } = spawnSync(process.execPath, ['-e', script], { timeout: 20_000, encoding: 'utf8' })
  assert.deepEqual([status, stderr], [0, ''])
})
