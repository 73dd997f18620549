'use strict'

// Whether a clock is renewed by another thread: it then goes on while this one does not return to its loop.

const { setTimeout: sleep } = require('node:timers/promises')

const TRIAL_MS = 100

/** What is in memory, of which a clock that nobody renews makes no use. */
const timeOf = clock => new Float64Array(clock.buffer)[0]

/** Waits until somebody else renews it. */
async function untilKept (clock) {
  while (!goesOnWhileBlocked(clock)) await sleep(10)
}

function goesOnWhileBlocked (clock) {
  const from = timeOf(clock)
  const until = performance.now() + TRIAL_MS
  while (performance.now() < until) if (timeOf(clock) !== from) return true
  return false
}

/** Waits until it is renewed, by whom ever. */
async function untilAdvanced (clock) {
  const from = timeOf(clock)
  while (timeOf(clock) === from) await sleep(1)
}

module.exports = { untilKept, untilAdvanced }
