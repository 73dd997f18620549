'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { addStallToTrace } = require('../../lib/probe/open-telemetry')

const culprit = { function: 'checkPassword', file: 'app.js', line: 8, column: 42, functionLine: 8, call: 'pbkdf2Sync', via: null, share: 1 }
const stall = { id: 1, at: 1795328643405, durationMs: 313, startingUp: false, cause: 'code', route: 'POST /login', trace: null, culprit, stack: [], evidence: {} }

function createSpan (isOpen = true) {
  const events = []
  return { events, isRecording: () => isOpen, addEvent: (name, attributes, time) => events.push({ name, attributes, at: time.getTime() }) }
}

function eventOf (changes) {
  const span = createSpan()
  addStallToTrace([span], { ...stall, ...changes })
  return span.events[0]
}

test('the event has the names and units of OpenTelemetry', () => {
  assert.deepEqual(eventOf({}), {
    name: 'event_loop.stall',
    at: stall.at,
    attributes: {
      'event_loop.stall.duration': 0.313,
      'event_loop.stall.cause': 'code',
      'http.request.method': 'POST',
      'http.route': '/login',
      'code.function.name': 'checkPassword',
      'code.file.path': 'app.js',
      'code.line.number': 8,
      'code.column.number': 42,
      'event_loop.stall.call': 'pbkdf2Sync'
    }
  })
})

test('what is not known is no attribute', () => {
  assert.deepEqual(Object.keys(eventOf({ route: null, culprit: null }).attributes), ['event_loop.stall.duration', 'event_loop.stall.cause'])
  assert.equal(eventOf({ route: 'job resize' }).attributes['event_loop.stall.job'], 'resize')
  assert.equal(eventOf({ route: 'job resize' }).attributes['http.request.method'], undefined)
  assert.equal(eventOf({ route: 'GET _unmatched' }).attributes['http.route'], undefined)
  const { attributes } = eventOf({ culprit: { ...culprit, file: '', call: null } })
  assert.deepEqual(Object.keys(attributes).filter(name => /^code\.|call$/.test(name)), ['code.function.name'])
})

test('the innermost span that is still open gets it', () => {
  const [inner, outer] = [createSpan(false), createSpan()]
  addStallToTrace([inner, outer], stall)
  assert.deepEqual([inner.events.length, outer.events.length], [0, 1])
})

test('where all have ended and there is no SDK, or one throws, nothing happens', () => {
  const over = createSpan(false)
  addStallToTrace([over], stall)
  addStallToTrace([], stall)
  addStallToTrace([{ isRecording () { throw new Error('of the SDK') } }], stall)
  addStallToTrace([{}], stall)
  assert.deepEqual(over.events, [])
})
