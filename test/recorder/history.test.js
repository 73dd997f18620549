'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { History } = require('../../lib/observer/recorder/history')
const { assertValid, microsByStack, profileOf } = require('./crafted')

const SECOND_MICROS = 1e6

/** @returns a window with one sample a second */
function windowOf (fromSeconds, toSeconds, name = 'work') {
  const samples = Array.from({ length: toSeconds - fromSeconds }, () => [[name], SECOND_MICROS])
  return profileOf(samples, fromSeconds * SECOND_MICROS)
}

function secondsOf (profile, name) {
  let micros = 0
  for (const [stack, time] of microsByStack(profile)) if (stack.includes(`/${name}@`)) micros += time
  return micros / SECOND_MICROS
}

test('a view across windows is one profile, and time that two windows saw counts once', () => {
  const history = new History({ keepMicros: 60 * SECOND_MICROS })
  history.add(windowOf(10, 16, 'first'))
  history.add(windowOf(15, 20, 'second'))
  const view = history.view(12 * SECOND_MICROS, 18 * SECOND_MICROS)
  assertValid(view)
  assert.deepEqual([view.startTime, view.endTime], [12 * SECOND_MICROS, 18 * SECOND_MICROS])
  assert.deepEqual([secondsOf(view, 'first'), secondsOf(view, 'second')], [3, 3])
})

test('a view is shortened to what is known, and null where nothing is', () => {
  const history = new History({ keepMicros: 60 * SECOND_MICROS })
  assert.deepEqual([history.fromMicros, history.toMicros, history.view(0, 9e9)], [Infinity, -Infinity, null])
  history.add(windowOf(10, 15))
  const view = history.view(0, 99 * SECOND_MICROS)
  assert.deepEqual([view.startTime, view.endTime], [10 * SECOND_MICROS, 15 * SECOND_MICROS])
  assert.equal(history.view(0, 10 * SECOND_MICROS), null)
  history.clear()
  assert.equal(history.view(0, 99 * SECOND_MICROS), null)
})

test('a view without what lies before it or reaches into it is no longer for that', () => {
  const history = new History({ keepMicros: 60 * SECOND_MICROS })
  history.add(windowOf(10, 20))
  const without = [[10, 11], [12, 14], [16, 17]].map(([from, to]) => ({ fromMicros: from * SECOND_MICROS, toMicros: to * SECOND_MICROS }))
  const view = history.view(13 * SECOND_MICROS, 18 * SECOND_MICROS, without)
  assert.deepEqual([view.startTime, view.endTime, secondsOf(view, 'work')], [14 * SECOND_MICROS, 18 * SECOND_MICROS, 3])
})

test('windows are dropped when they are too old, and never the last one', () => {
  const history = new History({ keepMicros: 10 * SECOND_MICROS })
  for (let from = 0; from < 100; from += 5) history.add(windowOf(from, from + 5))
  assert.deepEqual([history.fromMicros, history.toMicros], [85 * SECOND_MICROS, 100 * SECOND_MICROS])
  const short = new History({ keepMicros: 1 })
  short.add(windowOf(0, 5))
  assert.equal(short.toMicros, 5 * SECOND_MICROS)
})

test('what a view needs is kept until it lets go', () => {
  const history = new History({ keepMicros: 10 * SECOND_MICROS })
  history.add(windowOf(0, 5))
  const unpins = [history.pin(4 * SECOND_MICROS), history.pin(22 * SECOND_MICROS)]
  for (let from = 5; from < 50; from += 5) history.add(windowOf(from, from + 5))
  assert.equal(history.fromMicros, 0)
  unpins[0]()
  history.add(windowOf(50, 55))
  assert.equal(history.fromMicros, 20 * SECOND_MICROS)
  unpins[1]()
  history.add(windowOf(55, 60))
  assert.equal(history.fromMicros, 45 * SECOND_MICROS)
})

test('waiting for a moment ends with the window that holds it, or after the longest wait', async () => {
  const history = new History({ keepMicros: 60 * SECOND_MICROS })
  const known = history.waitFor(8 * SECOND_MICROS, 60_000)
  history.add(windowOf(0, 5))
  const soon = history.waitFor(20 * SECOND_MICROS, 5)
  assert.equal(await soon, false)
  history.add(windowOf(5, 10))
  assert.equal(await known, true)
  assert.equal(await history.waitFor(10 * SECOND_MICROS, 60_000), true)
})
