'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { SharedState } = require('../../lib/link/shared-state')
const { SessionLifecycle } = require('../../lib/observer/recorder/session-lifecycle')

const FIRST_MS = 1000
const MINUTE_MS = 60_000

/** A lifecycle with a session that only notes what becomes of it, and time that passes when the test says so. */
async function createSubject (t, session = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  const state = new SharedState()
  const subject = { state, events: [], awayMs }
  subject.lifecycle = new SessionLifecycle({
    state,
    session: { open: async () => { subject.events.push('open') }, close: () => { subject.events.push('close') }, isPaused: async () => false, post: async method => method, ...session },
    onDisconnected: () => subject.events.push('away'),
    onReconnected: () => subject.events.push('back')
  })
  t.after(() => subject.lifecycle.close())

  async function pass (ms) {
    nowMs += ms
    t.mock.timers.tick(ms)
    for (let turn = 0; turn < 5; turn++) await null // what is opened is open when its promises have settled
  }

  /** Lets go of it; how long it takes, in the main thread's ticks of half a second, until it is back. */
  async function awayMs () {
    subject.lifecycle.disconnect()
    const backs = () => subject.events.filter(event => event === 'back').length
    const before = backs()
    const fromMs = nowMs
    while (backs() === before) {
      state.tickMicros++
      await pass(FIRST_MS / 2)
    }
    return nowMs - fromMs
  }
  subject.pass = pass
  await subject.lifecycle.open()
  return subject
}

test('a session that was disconnected is connected again a second later, and after twice as long each time it happens again, up to a minute', async t => {
  const { awayMs, events } = await createSubject(t)
  const waits = []
  for (let times = 0; times < 8; times++) waits.push(await awayMs())
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 60, 60].map(seconds => seconds * 1000))
  assert.deepEqual(events.slice(0, 6), ['open', 'close', 'away', 'open', 'back', 'close'])
})

test('after a minute without a pause the next wait is the first one again', async t => {
  const { awayMs, pass } = await createSubject(t)
  assert.deepEqual([await awayMs(), await awayMs()], [FIRST_MS, 2 * FIRST_MS])
  await pass(MINUTE_MS)
  assert.equal(await awayMs(), FIRST_MS)
})

test('it is not connected again while the main thread still stands there', async t => {
  const { lifecycle, events, pass, state } = await createSubject(t)
  lifecycle.disconnect()
  for (let times = 0; times < 5; times++) await pass(FIRST_MS)
  assert.deepEqual(events, ['open', 'close', 'away'])
  state.tickMicros++
  await pass(FIRST_MS)
  assert.deepEqual(events.slice(3), ['open', 'back'])
})

test('it is disconnected in a pause, and kept while the main thread is only busy', async t => {
  let isPaused = false
  const { lifecycle, events, pass } = await createSubject(t, { isPaused: async () => isPaused })
  let looks = 0
  const busy = lifecycle.disconnectOnPause(() => looks++ < 1)
  await pass(FIRST_MS)
  await busy
  assert.deepEqual(events, ['open'])
  isPaused = true
  await lifecycle.disconnectOnPause(() => true)
  assert.deepEqual(events, ['open', 'close', 'away'])
})

test('a process that ends opens none, and callers get an error', async t => {
  const { lifecycle, state } = await createSubject(t)
  assert.equal(await lifecycle.post('Runtime.enable'), 'Runtime.enable')
  lifecycle.close()
  state.requestRelease(0)
  await assert.rejects(lifecycle.post('Runtime.enable'), { code: 'ERR_LOOPSCOPE_INSPECTOR_UNAVAILABLE' })
})
