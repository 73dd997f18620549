'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { FIRST_RESTART_MS: FIRST_MS, MAX_RESTART_MS: MAX_MS, RestartBackoff } = require('../../lib/probe/observer-supervisor')

/** Restarts on a clock that the test moves. */
function createSubject (t) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const subject = { starts: 0, nowMs: 0 }
  subject.restarts = new RestartBackoff({ start: () => { subject.starts++ }, now: () => subject.nowMs })
  subject.pass = ms => {
    subject.nowMs += ms
    t.mock.timers.tick(ms)
  }
  return subject
}

test('each loss is waited out twice as long as the one before, up to a limit', t => {
  const subject = createSubject(t)
  for (let waitMs = FIRST_MS, starts = 1; starts <= 12; starts++, waitMs = Math.min(waitMs * 2, MAX_MS)) {
    subject.restarts.plan()
    subject.pass(waitMs - 1)
    assert.equal(subject.starts, starts - 1)
    subject.pass(1)
    assert.deepEqual([subject.starts, subject.restarts.count], [starts, starts])
  }
})

test('after a long life the first wait is short again', t => {
  const subject = createSubject(t)
  for (let loss = 0; loss < 5; loss++) {
    subject.restarts.plan()
    subject.pass(MAX_MS)
  }
  subject.pass(MAX_MS)
  subject.restarts.plan()
  subject.pass(FIRST_MS)
  assert.equal(subject.starts, 6)
})

test('nothing is started after stop()', t => {
  const subject = createSubject(t)
  subject.restarts.stop()
  subject.restarts.plan()
  subject.restarts.stop()
  subject.pass(MAX_MS)
  assert.equal(subject.starts, 0)
})

test('a start that throws is reported and never reaches the application', t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const restarts = new RestartBackoff({ start: () => { throw new Error('no threads left') } })
  restarts.plan()
  t.mock.timers.tick(FIRST_MS)
  assert.equal(restarts.count, 1)
})
