'use strict'

// How fast is sampled: slowly while nothing happens, where the engine can, and at the full rate from the beginning of what happens.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const { setTimeout: sleep } = require('node:timers/promises')
const { monotonicMicros } = require('../../lib/base/monotonic')
const { noteOwnCallback } = require('../../lib/probe/process/next-callback')
const own = require('../../lib/base/timers')
const { ENGINES } = require('../../lib/probe/recorder/engines')
const { Recorder } = require('../../lib/probe/recorder/recorder')

const skip = ENGINES.builtin.canSlow() ? false : 'v8.startCpuProfile() takes no interval here'
const SECOND_MICROS = 1e6
const IDLE = true

function createSubject (t, engine = 'builtin') {
  const windows = []
  const recorder = new Recorder({
    hz: 100,
    windowSeconds: 5,
    engines: [engine],
    titlePrefix: 'pace-test:',
    deliver: window => windows.push(window),
    pauseReason: () => null,
    onPause () {},
    onResume () {},
    onRotated () {}
  })
  t.after(() => recorder.stop())
  recorder.start()
  return { recorder, windows, slow: () => recorder.tick(monotonicMicros() + SECOND_MICROS, IDLE) }
}

const CALLBACKS = {
  timer: done => { setTimeout(done, 20) },
  immediate: done => { setImmediate(done) },
  'file read': done => { fs.readFile(__filename, done) },
  'promise of a file': done => { fs.promises.readFile(__filename).then(done) },
  message: done => {
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener('message', () => {
      port1.close()
      done()
    })
    port1.start()
    port2.postMessage(1)
  }
}

for (const [name, call] of Object.entries(CALLBACKS)) {
  test(`when nothing happens the next window is slow, and the full rate is there before what happens: ${name}`, { skip }, async t => {
    const { recorder, windows, slow } = createSubject(t)
    slow()
    assert.equal(recorder.isSlow, true)
    let beganMicros = Infinity
    await new Promise(resolve => call(() => {
      beganMicros = monotonicMicros()
      assert.equal(recorder.isSlow, false)
      resolve()
    }))
    recorder.stop()
    assert.deepEqual(windows.map(({ isSlow }) => isSlow), [false, true, false])
    assert.ok(windows[2].openedMicros <= beganMicros)
    // Never a gap: each is open before the one before ends.
    const { endTime } = JSON.parse(windows[1].json)
    assert.ok((JSON.parse(windows[2].json).startTime - endTime | 0) <= 0)
  })
}

test('timers of loopscope\'s own are nothing that happens', { skip }, async t => {
  const { recorder, slow } = createSubject(t)
  await new Promise(resolve => {
    let times = 0
    const timer = own.setInterval(() => {
      if (++times === 1) return slow()
      assert.equal(recorder.isSlow, true)
      if (times < 4) return
      own.clearInterval(timer)
      own.setImmediate(resolve)
    }, 10)
  })
  assert.equal(recorder.isSlow, true)
})

test('messages from the observer are nothing that happens', { skip }, async t => {
  const { recorder, slow } = createSubject(t)
  const { port1, port2 } = new MessageChannel()
  const toldTwice = new Promise(resolve => {
    port1.onmessage = ({ data }) => {
      noteOwnCallback()
      if (data === 2) return resolve()
      slow()
      port2.postMessage(2)
    }
  })
  port2.postMessage(1)
  await toldTwice
  assert.equal(recorder.isSlow, true)
  port1.close()
})

test('work that comes without a callback is sampled from the next tick, or when it is looked at', { skip }, t => {
  const { recorder, slow } = createSubject(t)
  slow()
  recorder.tick(monotonicMicros(), !IDLE)
  assert.equal(recorder.isSlow, false)
  slow()
  recorder.sampleFast()
  assert.equal(recorder.isSlow, false)
})

test('since when nothing has happened', { skip }, t => {
  const { recorder, slow } = createSubject(t)
  const beforeMicros = monotonicMicros()
  assert.equal(recorder.hasBeenSlowSince(beforeMicros), false)
  slow()
  assert.deepEqual([recorder.hasBeenSlowSince(beforeMicros), recorder.hasBeenSlowSince(monotonicMicros())], [false, true])
  recorder.sampleFast()
  assert.equal(recorder.hasBeenSlowSince(monotonicMicros()), false)
})

test('requested windows stay slow, and long ones end', { skip }, t => {
  const { recorder, windows, slow } = createSubject(t)
  slow()
  recorder.rotate()
  recorder.tick(monotonicMicros() + 21 * SECOND_MICROS, IDLE)
  assert.deepEqual([recorder.isSlow, windows.map(({ isSlow }) => isSlow)], [true, [false, true, true]])
})

test('the full rate is kept for a moment, and for longer where something happens all the time', { skip }, async t => {
  const { recorder } = createSubject(t)
  /** How long it takes until it is slow again, from now on; in the recorder's eyes no time passes meanwhile. */
  const keptMs = () => {
    const fromMicros = monotonicMicros()
    for (let ms = 100; ; ms += 100) {
      recorder.tick(fromMicros + ms * 1e3, IDLE)
      if (recorder.isSlow) return ms
    }
  }
  keptMs()
  await sleep(500, undefined, { ref: true }) // worth it
  const [first, second, third] = [1, 2, 3].map(() => {
    recorder.sampleFast()
    return keptMs()
  })
  assert.ok(first < second && second < third, [first, second, third].join())
})

test('what it was stopped for stays away, and it starts at the full rate again', { skip }, async t => {
  const { recorder, slow } = createSubject(t)
  slow()
  recorder.stop()
  assert.equal(recorder.isSlow, false)
  await sleep(10)
  recorder.start()
  assert.deepEqual([recorder.running, recorder.isSlow], [true, false])
})

test('an engine with one rate only is never slow', t => {
  const { recorder, slow } = createSubject(t, 'inspector')
  slow()
  assert.equal(recorder.isSlow, false)
})
