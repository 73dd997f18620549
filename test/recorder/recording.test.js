'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { monotonicMicros } = require('../../lib/base/monotonic')
const { Recording } = require('../../lib/probe/recorder/recording')

const SETTINGS = { hz: 100, windowSeconds: 5, keepSeconds: 60, engine: 'inspector' }

/** On the main thread of this process, whose loop turns when the test says so. */
function createSubject (t, { settings = SETTINGS } = {}) {
  const told = []
  const heartbeat = { lastMicros: 0, exempt: work => work() }
  const recording = new Recording({
    settings,
    profilerInUse: null,
    titlePrefix: 'test:',
    logger: { warn () {} },
    loopTime: { setSampled () {} },
    tell: (name, params) => told.push([name, params.on]),
    heartbeat,
    detectDebugger: async () => assert.fail('nothing is open'),
    onRotated () {}
  })
  t.after(() => recording.stop())
  return { recording, heartbeat, told }
}

test('it waits for the loop to turn, and starts in the middle of what runs afterwards', t => {
  const { recording, heartbeat, told } = createSubject(t)
  recording.start(null)
  assert.deepEqual(told, [])
  heartbeat.lastMicros = monotonicMicros()
  recording.turned()
  assert.deepEqual(told, [['recording', true]])
  const late = createSubject(t)
  late.heartbeat.lastMicros = monotonicMicros()
  late.recording.turned()
  assert.deepEqual(late.told, [], 'nobody watches yet')
  late.recording.start(null)
  late.recording.start(null)
  assert.deepEqual(late.told, [['recording', true]])
})

test('a recording that is stopped meanwhile does not start', t => {
  const { recording, heartbeat, told } = createSubject(t)
  recording.start(null)
  recording.stop()
  heartbeat.lastMicros = monotonicMicros()
  recording.turned()
  assert.deepEqual(told, [])
})

test('until it has started for the first time it is starting, and later not any more', t => {
  const { recording, heartbeat } = createSubject(t)
  heartbeat.lastMicros = monotonicMicros()
  assert.equal(recording.wasStartingAt(heartbeat.lastMicros), true)
  recording.start(null)
  assert.deepEqual([recording.wasStartingAt(heartbeat.lastMicros), recording.wasStartingAt(monotonicMicros())], [true, false])
  recording.onLost()
  assert.equal(recording.wasStartingAt(monotonicMicros()), false)
})

test('what cannot start, or is not wanted, is not starting', t => {
  const without = createSubject(t, { settings: false })
  assert.equal(without.recording.wasStartingAt(0), false)
  const refused = createSubject(t)
  refused.recording.start('there is no inspector')
  assert.deepEqual([refused.told, refused.recording.wasStartingAt(monotonicMicros())], [[['recording', false]], false])
  const unobserved = createSubject(t)
  unobserved.recording.onLost()
  assert.equal(unobserved.recording.wasStartingAt(monotonicMicros()), false)
})
