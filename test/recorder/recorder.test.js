'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Session } = require('node:inspector')
const { monotonicMicros } = require('../../lib/base/monotonic')
const { Recorder } = require('../../lib/probe/recorder/recorder')

const SECOND_MICROS = 1e6
const ATTACHED = { code: 'LOOPSCOPE_WARN_RECORDER_PAUSED', values: [], reason: 'a debugger is attached' }

/** A recorder with the titles of the windows that it has ended, and with a debugger that can be attached. */
function createSubject (t) {
  const subject = { ended: [], pauses: [], resumes: 0, pauseReason: null }
  const session = new Session()
  session.connect()
  session.on('Profiler.consoleProfileFinished', ({ params }) => subject.ended.push(params.title))
  session.post('Profiler.enable')
  subject.recorder = new Recorder({
    hz: 100,
    windowSeconds: 5,
    engines: ['inspector'],
    titlePrefix: 'recorder-test:',
    deliver: () => assert.fail('windows of this engine come through the session'),
    pauseReason: () => subject.pauseReason,
    onPause: ({ reason }) => subject.pauses.push(reason),
    onResume: () => subject.resumes++,
    onRotated () {}
  })
  t.after(() => {
    subject.recorder.stop()
    session.disconnect()
  })
  return subject
}

test('while the process is idle windows are four times as long, and end when there is work again', t => {
  const { recorder, ended } = createSubject(t)
  recorder.start()
  recorder.tick(monotonicMicros() + 19 * SECOND_MICROS, true)
  assert.deepEqual(ended, [])
  recorder.tick(monotonicMicros() + 20 * SECOND_MICROS, true)
  assert.deepEqual(ended, ['recorder-test:1'])
  recorder.tick(monotonicMicros() + 6 * SECOND_MICROS, false)
  assert.deepEqual(ended, ['recorder-test:1', 'recorder-test:2'])
})

test('windows are rotated when they are long enough, each under a title of its own', t => {
  const { recorder, ended } = createSubject(t)
  recorder.start()
  recorder.start()
  recorder.tick(monotonicMicros() + 4 * SECOND_MICROS)
  assert.deepEqual(ended, [])
  recorder.tick(monotonicMicros() + 5 * SECOND_MICROS)
  recorder.tick(monotonicMicros() + 5 * SECOND_MICROS)
  assert.deepEqual(ended, ['recorder-test:1', 'recorder-test:2'])
  recorder.stop()
  recorder.stop()
  assert.deepEqual(ended, ['recorder-test:1', 'recorder-test:2', 'recorder-test:3'])
  assert.ok(recorder.overheadSeconds > 0)
})

test('windows wanted soon end together, and not more than four times a second', t => {
  const { recorder, ended } = createSubject(t)
  recorder.start()
  for (let stall = 0; stall < 10; stall++) {
    recorder.rotateSoon()
    recorder.tick(monotonicMicros())
  }
  // A machine that stood still for a quarter of a second in this loop has rotated already.
  const before = ended.length
  recorder.rotateSoon()
  recorder.tick(monotonicMicros() + 0.3 * SECOND_MICROS)
  assert.equal(ended.length, before + 1)
  recorder.tick(monotonicMicros() + 0.3 * SECOND_MICROS)
  assert.equal(ended.length, before + 1)
})

test('a debugger pauses it, and it goes on when the debugger has left', t => {
  const subject = createSubject(t)
  const { recorder, ended, pauses } = subject
  assert.equal(recorder.running, false)
  recorder.start()
  assert.deepEqual([recorder.running, subject.resumes], [true, 1])
  subject.pauseReason = ATTACHED
  recorder.tick(monotonicMicros() + 2 * SECOND_MICROS)
  recorder.tick(monotonicMicros() + 4 * SECOND_MICROS)
  assert.deepEqual([recorder.running, ended.length, pauses], [false, 1, [ATTACHED.reason]])
  recorder.rotate()
  assert.equal(ended.length, 1)
  subject.pauseReason = null
  assert.equal(recorder.tick(monotonicMicros() + 6 * SECOND_MICROS), true) // started from cold
  assert.deepEqual([recorder.running, subject.resumes], [true, 2])
})

test('started under a debugger it waits for it to leave', t => {
  const subject = createSubject(t)
  subject.pauseReason = ATTACHED
  subject.recorder.start()
  assert.deepEqual([subject.recorder.running, subject.pauses.length, subject.resumes], [false, 1, 0])
  subject.pauseReason = null
  subject.recorder.tick(monotonicMicros() + 2 * SECOND_MICROS)
  assert.equal(subject.recorder.running, true)
})

test('while it is not known whether a debugger is attached nothing changes, and no window is begun', t => {
  const subject = createSubject(t)
  const { recorder, ended } = subject
  subject.pauseReason = undefined
  recorder.start()
  assert.deepEqual([recorder.running, subject.pauses, subject.resumes], [false, [], 0])
  subject.pauseReason = null
  recorder.check(monotonicMicros())
  assert.equal(recorder.running, true)
  subject.pauseReason = undefined
  recorder.tick(monotonicMicros() + 6 * SECOND_MICROS)
  recorder.rotate()
  assert.deepEqual([recorder.running, ended], [true, []])
  subject.pauseReason = null
  recorder.tick(monotonicMicros() + SECOND_MICROS)
  assert.deepEqual(ended, ['recorder-test:1'])
})

test('after stop() nothing happens until start()', t => {
  const { recorder, ended } = createSubject(t)
  recorder.start()
  recorder.stop()
  assert.equal(recorder.tick(monotonicMicros() + 60 * SECOND_MICROS), false)
  recorder.rotate()
  assert.deepEqual([recorder.running, ended.length], [false, 1])
})
