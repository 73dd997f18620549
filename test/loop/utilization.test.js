'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { setTimeout: sleep } = require('node:timers/promises')
const { Utilization } = require('../../lib/probe/loop/utilization')

/** A loop that is told how long it works and idles, with the timers of the test moved along. */
function createFakeLoop (t) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const total = { active: 0, idle: 0, utilization: 0 }
  return {
    eventLoopUtilization: () => ({ ...total }),
    run (seconds, share) {
      for (let second = 0; second < seconds; second++) {
        total.active += 1000 * share
        total.idle += 1000 * (1 - share)
        t.mock.timers.tick(1000)
      }
    }
  }
}

test('utilization is that of the last 30 to 60 s, however often it is read', t => {
  const loop = createFakeLoop(t)
  const parts = [new Utilization({ eventLoopUtilization: loop.eventLoopUtilization }), new Utilization({ eventLoopUtilization: loop.eventLoopUtilization })]
  const [readOften, readOnce] = parts
  for (const part of parts) part.start()

  for (let second = 0; second < 60; second++) {
    loop.run(1, 1)
    assert.equal(readOften.read().utilization, 1)
  }
  loop.run(20, 0.25) // the window reaches back 50 s
  assert.equal(readOnce.read().utilization, (30 * 1 + 20 * 0.25) / 50)
  loop.run(10, 0.25)
  assert.equal(readOnce.read().utilization, 0.25)
  assert.equal(readOften.read().utilization, readOnce.read().utilization)
  for (const part of parts) part.stop()
})

test('seconds at work and idle are totals that no reader resets', t => {
  const loop = createFakeLoop(t)
  const utilization = new Utilization({ eventLoopUtilization: loop.eventLoopUtilization })
  utilization.start()
  assert.deepEqual(utilization.read(), { utilization: 0, activeSeconds: 0, idleSeconds: 0 })
  loop.run(100, 0.75)
  utilization.read()
  assert.deepEqual(utilization.read(), { utilization: 0.75, activeSeconds: 75, idleSeconds: 25 })
  utilization.stop()
})

test('a real loop that works and then waits has both kinds of time', async () => {
  const utilization = new Utilization()
  utilization.start()
  await sleep(30)
  const before = utilization.read()
  const until = performance.now() + 50
  while (performance.now() < until);
  await sleep(30)
  const after = utilization.read()
  assert.ok(after.activeSeconds - before.activeSeconds >= 0.05)
  assert.ok(after.idleSeconds > before.idleSeconds)
  assert.ok(after.utilization > 0 && after.utilization <= 1)
  utilization.stop()
  assert.equal(utilization.running, false)
})

test('a started part does not keep the process alive', () => {
  const path = require.resolve('../../lib/probe/loop/utilization')
  const child = spawnSync(process.execPath, ['-e', `new (require(${JSON.stringify(path)}).Utilization)().start()`], { timeout: 10_000 })
  assert.equal(child.status, 0)
})
