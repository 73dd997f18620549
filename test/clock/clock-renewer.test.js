'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createClock, ClockRenewer } = require('../../lib/shared/clock')

/** A clock that nothing but the subject renews. */
function createSubject (t) {
  t.mock.timers.enable({ apis: ['setInterval', 'Date'], now: 1e12 })
  const renewer = new ClockRenewer()
  const clock = createClock({
    keeper (buffer, resolutionMs, { onKept }) {
      renewer.keep(7, { buffer, resolutionMs })
      onKept()
      return () => {} // tells nobody
    }
  })
  return { renewer, clock }
}

test('it renews each clock at its own pace', t => {
  const { renewer, clock } = createSubject(t)
  const slow = new SharedArrayBuffer(32)
  renewer.keep(8, { buffer: slow, resolutionMs: 100 })
  t.mock.timers.tick(90)
  t.mock.timers.tick(5)
  assert.equal(clock.now(), 1e12 + 90)
  assert.equal(createClock({ buffer: slow }).running, false)
  t.mock.timers.tick(5)
  assert.equal(createClock({ buffer: slow }).now(), 1e12 + 100)
})

test('a clock that was renewed once more after its owner had stopped it is empty after the release', t => {
  const { renewer, clock } = createSubject(t)
  clock.stop()
  t.mock.timers.tick(10)
  renewer.release(7)
  t.mock.timers.tick(1000)
  assert.deepEqual([clock.running, clock.now()], [false, 1e12 + 1010])
})

test('releasing what it does not keep is nothing', t => {
  const { renewer } = createSubject(t)
  renewer.release(7)
  renewer.release(7)
  renewer.release(99)
})
