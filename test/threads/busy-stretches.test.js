'use strict'

// When a thread was at work, read from its samples; and stretches that go on over windows.

const test = require('node:test')
const assert = require('node:assert/strict')
const { busyStretches, StretchJoiner, ThreadRecord } = require('../../lib/observer/threads/thread-record')

const NAMES = { i: '(idle)', p: '(program)', w: 'work', g: '(garbage collector)' }
const STEP_MICROS = 20_000

/** A profile of one sample each 20 ms; a digit before a letter is so many steps at once. */
function profileOf (text, startTime = 0) {
  const taken = [...text.matchAll(/(\d*)([a-z])/g)]
  const ids = Object.keys(NAMES)
  const timeDeltas = taken.map(([, steps]) => STEP_MICROS * Number(steps || 1))
  return {
    nodes: ids.map((letter, index) => ({ id: index + 1, callFrame: { functionName: NAMES[letter], url: letter === 'w' ? 'file:///app/a.js' : '', scriptId: '1', lineNumber: 0, columnNumber: 0 } })),
    samples: taken.map(([,, letter]) => ids.indexOf(letter) + 1),
    timeDeltas,
    startTime,
    endTime: startTime + timeDeltas.reduce((sum, delta) => sum + delta, 0)
  }
}

const stretchesOf = text => busyStretches(profileOf(text)).stretches.map(({ fromMicros, toMicros }) => [fromMicros / STEP_MICROS, toMicros / STEP_MICROS])

test('a stretch begins with the first sample at work, and ends before the first that is idle', () => {
  assert.deepEqual(stretchesOf('iiwwwii'), [[2, 5]])
  assert.deepEqual(stretchesOf('wwiwg'), [[0, 2], [3, 5]])
  assert.deepEqual(stretchesOf('iii'), [])
})

test("V8's own is neither work nor a pause", () => {
  assert.deepEqual(stretchesOf('iwwpwwpi'), [[1, 6]])
  assert.equal(busyStretches(profileOf('wwp')).busyMicros, 2 * STEP_MICROS)
})

test('what lies between samples far apart is not known: it joins nothing, and counts for little', () => {
  assert.deepEqual(stretchesOf('ww50ww'), [[0, 2], [51, 53]])
  assert.equal(busyStretches(profileOf('50w')).busyMicros, 250_000)
})

test('a stretch that goes on in the next window is one, one that paused between is two', () => {
  const joiner = new StretchJoiner()
  const add = (text, startTime) => {
    const window = profileOf(text, startTime)
    return joiner.add(window, busyStretches(window)).map(({ fromMicros, toMicros }) => (toMicros - fromMicros) / STEP_MICROS)
  }
  assert.deepEqual(add('iiwww', 0), [])
  assert.deepEqual(add('wwwww', 5 * STEP_MICROS), [])
  assert.deepEqual(add('wwiww', 10 * STEP_MICROS), [10])
  assert.deepEqual(add('iwwii', 15 * STEP_MICROS), [2, 2])
  assert.deepEqual(joiner.end(), [])
})

test('few samples far apart, as on a crowded machine, make no stall', () => {
  const record = new ThreadRecord({ thresholdMs: 100 })
  const window = profileOf('iw10wii')
  assert.deepEqual(record.add(window, busyStretches(window), null), [])
  assert.equal(record.read().longestMs, 0)
})

test('what is known of a thread is of the last minute', () => {
  const record = new ThreadRecord({ thresholdMs: 100 })
  const culprit = { function: 'work', file: 'a.js', line: 3, column: 1, functionLine: 1, call: null, via: null, share: 0.5 }
  const add = (text, startTime) => {
    const window = profileOf(text, startTime)
    return record.add(window, busyStretches(window), culprit).length
  }
  assert.equal(add('iwwwwwwwii', 0), 1)
  const { observedMs, busyMs, longestMs, lastingMs, stalls, top } = record.read()
  assert.deepEqual({ observedMs, busyMs, longestMs, lastingMs, stalls }, { observedMs: 200, busyMs: 140, longestMs: 140, lastingMs: 0, stalls: 1 })
  assert.deepEqual(top, { function: 'work', file: 'a.js', line: 3, column: 1, share: 0.5 })
  assert.equal(add('iiwwwwwwww', 100e6), 0)
  assert.deepEqual([record.read().stalls, record.read().busyMs, record.read().lastingMs], [0, 160, 160])
})
