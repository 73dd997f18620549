'use strict'

// For tests that judge by what the system let a process do: waits until others leave this machine something to do it with.

const os = require('node:os')
const { setTimeout: sleep } = require('node:timers/promises')

const WINDOW_MS = 250
const SPIN_MS = 20

/** How long each test has waited: its bound is for all its waits together. @type {WeakMap<object, number>} */
const waitedMs = new WeakMap()

/**
 * Resolves as soon as a window has enough idle time of all processors, and this process is run without standing in line; and in any
 * case when the test has waited for maxWaitMs in all, which its report says.
 * @param {import('node:test').TestContext} t
 * @param {{ minIdleShare?: number, maxQueueShare?: number, maxWaitMs?: number }} [bounds]  minIdleShare: of the time of all
 *   processors. A test beside this one may well keep one of two busy.
 */
async function quietMachine (t, { minIdleShare = 0.3, maxQueueShare = 0.2, maxWaitMs = 60_000 } = {}) {
  for (;;) {
    const from = performance.now()
    const idle = await idleShare()
    const queue = queueShare()
    if (idle >= minIdleShare && queue <= maxQueueShare) return
    const waited = (waitedMs.get(t) ?? 0) + performance.now() - from
    waitedMs.set(t, waited)
    if (waited < maxWaitMs) continue
    return t.diagnostic(`no quiet machine within ${maxWaitMs} ms: ${Math.round(idle * 100)} % idle, ${Math.round(queue * 100)} % of the time in line`)
  }
}

/** Of the time of all processors, over a window. */
async function idleShare () {
  const before = processorTimes()
  await sleep(WINDOW_MS)
  const after = processorTimes()
  return (after.idle - before.idle) / Math.max(1, after.all - before.all)
}

function processorTimes () {
  const times = os.cpus().map(({ times }) => times)
  const idle = times.reduce((sum, time) => sum + time.idle, 0)
  return { idle, all: times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, idle) }
}

/** What was taken from a thread that wanted to run all the time. */
function queueShare () {
  const { user, system } = process.cpuUsage()
  const from = performance.now()
  while (performance.now() - from < SPIN_MS);
  const wallMs = performance.now() - from
  const used = process.cpuUsage()
  return Math.max(0, 1 - (used.user + used.system - user - system) / 1e3 / wallMs)
}

module.exports = { quietMachine }
