'use strict'

// Whether a clock is renewed by another thread: it then goes on while this one does not return to its loop.

const { setTimeout: sleep } = require('node:timers/promises')

const TRIAL_MS = 100

/** Waits until somebody else renews it. */
async function untilKept (clock) {
  while (!goesOnWhileBlocked(clock)) await sleep(10)
}

function goesOnWhileBlocked (clock) {
  const from = clock.now()
  const until = performance.now() + TRIAL_MS
  while (performance.now() < until) if (clock.now() !== from) return true
  return false
}

/** Waits until it goes on, whoever renews it. */
async function untilAdvanced (clock) {
  const from = clock.now()
  while (clock.now() === from) await sleep(1)
}

module.exports = { untilKept, untilAdvanced }
