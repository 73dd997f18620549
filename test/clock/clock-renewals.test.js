'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createClock } = require('../../lib/shared/clock')
const { SharedState } = require('../../lib/link/shared-state')
const { createClockRenewals } = require('../../lib/probe/process-clock')
const { ObserverClient } = require('../../lib/link/observer-client')
const { untilAdvanced, untilKept } = require('./kept')

const SETTINGS = {
  heartbeatMs: 20,
  stallThresholdMs: 100,
  keepSeconds: 0,
  hz: 0,
  isInspectorForbidden: false,
  windowsBySession: false,
  titlePrefix: 'clock-renewals-test:',
  interruptExpression: '(() => null)',
  appRoot: '/app'
}

/** An observer thread, and its list of clocks. */
function createSubject (t) {
  const observer = new ObserverClient({
    state: new SharedState(),
    settings: SETTINGS,
    handlers: {},
    onMessage () {},
    onFault: error => { throw error },
    onLost: () => clockRenewals.onLost()
  })
  const clockRenewals = createClockRenewals(observer)
  const keepAlive = setInterval(() => {}, 1000)
  t.after(() => {
    clearInterval(keepAlive)
    return observer.stop()
  })
  return { observer, clockRenewals }
}

test('a clock is renewed by the thread as soon as that runs, and by a timer after it has ended', async t => {
  const { observer, clockRenewals } = createSubject(t)
  const clock = createClock({ keeper: clockRenewals.keep })
  t.after(() => clock.stop())
  observer.start()
  await untilKept(clock)
  await observer.stop()
  await untilAdvanced(clock)
})

test('a clock that was stopped is left alone', async t => {
  const { observer, clockRenewals } = createSubject(t)
  observer.start()
  const clock = createClock({ keeper: clockRenewals.keep, resolutionMs: 1 })
  await untilKept(clock)
  clock.stop()
  await observer.ask('prepareStore', { location: {} }).catch(() => {}) // answered after the release
  assert.equal(clock.running, false)
  clockRenewals.onLost()
  assert.equal(clock.running, false)
  clock.start()
  await untilKept(clock)
  clock.stop()
})

test('a clock stopped before the thread runs is never renewed by it', async t => {
  const { observer, clockRenewals } = createSubject(t)
  const clock = createClock({ keeper: clockRenewals.keep })
  clock.stop()
  observer.start()
  await observer.ready
  await observer.ask('prepareStore', { location: {} }).catch(() => {})
  assert.equal(clock.running, false)
})

test('where there can be no thread a timer renews it', async t => {
  const asked = []
  const { keep } = createClockRenewals({ ready: Promise.reject(new Error('forbidden')), running: false, ask: async name => asked.push(name) })
  const clock = createClock({ keeper: keep })
  t.after(() => clock.stop())
  await untilAdvanced(clock)
  await untilAdvanced(clock)
  assert.deepEqual(asked, [], 'nobody to ask')
})

test('an answer that comes with the end of the thread is none: a timer renews it', async t => {
  let answer
  const asked = new Promise(resolve => { answer = resolve })
  const observer = { ready: Promise.resolve(), running: true, ask: () => asked }
  const { keep, onLost } = createClockRenewals(observer)
  const clock = createClock({ keeper: keep })
  t.after(() => clock.stop())
  await Promise.resolve()
  answer()
  observer.running = false
  onLost()
  await asked
  const keepAlive = setInterval(() => {}, 1000)
  t.after(() => clearInterval(keepAlive))
  await untilAdvanced(clock)
  await untilAdvanced(clock)
})
