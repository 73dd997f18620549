'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createHousekeeping } = require('../../lib/observer/stalls/stall-watch')

/** Housekeeping of a thread that wakes when the test says so. */
function createSubject () {
  let nowMs = 0
  const { interval, turn } = createHousekeeping({ now: () => nowMs })
  return { interval, wakeAt: atMs => turn(nowMs = atMs) }
}

test('periodic work is done at the wake-ups that come, at its period on average', () => {
  const { interval, wakeAt } = createSubject()
  let done = 0
  interval(1000, () => done++)
  for (let atMs = 0; atMs <= 60_000; atMs += 205) wakeAt(atMs)
  assert.ok(done === 59 || done === 60, `${done}`)
})

test('each has its own time, and what was ended is not done again', () => {
  const { interval, wakeAt } = createSubject()
  const done = []
  const end = interval(1000, () => done.push('often'))
  interval(3000, () => done.push('rarely'))
  wakeAt(900)
  wakeAt(1000)
  wakeAt(2000)
  end()
  end()
  wakeAt(3000)
  assert.deepEqual(done, ['often', 'often', 'rarely'])
})

test('what a suspended process missed is not made up for', () => {
  const { interval, wakeAt } = createSubject()
  let done = 0
  interval(1000, () => done++)
  for (const atMs of [3_600_000, 3_600_100, 3_600_200, 3_600_499]) wakeAt(atMs)
  assert.equal(done, 1)
  wakeAt(3_600_500)
  assert.equal(done, 2)
})

test('what fails does not keep the rest from being done', () => {
  const { interval, wakeAt } = createSubject()
  let done = 0
  interval(1000, () => { throw new Error('a fault') })
  interval(1000, () => done++)
  wakeAt(1000)
  wakeAt(2000)
  assert.equal(done, 2)
})
