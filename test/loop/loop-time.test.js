'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { SharedState } = require('../../lib/link/shared-state')
const { LoopTime } = require('../../lib/probe/loop/utilization')

function createSubject () {
  const node = { active: 100, idle: 300, utilization: 0.25 }
  const state = new SharedState()
  const loopTime = new LoopTime({ sampledTime: () => state.sampledTime, eventLoopUtilization: () => ({ ...node }) })
  return { node, loopTime, addSamples: time => new SharedState(state.buffer).addSampledTime(time) }
}

test('without a recorder the figures are those of Node', () => {
  const { node, loopTime } = createSubject()
  assert.deepEqual(loopTime.read(), { active: 100, idle: 300, utilization: 0.25 })
  node.active = 200
  assert.equal(loopTime.read().active, 200)
})

test('while the recorder runs its samples count, and Node\'s figures do not', () => {
  const { node, loopTime, addSamples } = createSubject()
  loopTime.setSampled(true)
  Object.assign(node, { active: 5000, idle: 5000 })
  addSamples({ busyMicros: 20_000, idleMicros: 80_000 })
  addSamples({ busyMicros: 30_000, idleMicros: 70_000 })
  assert.deepEqual(loopTime.read(), { active: 150, idle: 450, utilization: 0.25 })
  loopTime.setSampled(false)
  assert.equal(loopTime.read().active, 150)
  node.active += 10
  assert.equal(loopTime.read().active, 160)
})

test('both totals only grow, whatever the recorder does', () => {
  const { node, loopTime, addSamples } = createSubject()
  let before = loopTime.read()
  for (let step = 1; step <= 20; step++) {
    node.active += step
    node.idle += 2 * step
    if (step % 3 === 0) loopTime.setSampled(step % 2 === 0)
    addSamples({ busyMicros: 1000, idleMicros: 3000 })
    const now = loopTime.read()
    assert.ok(now.active >= before.active && now.idle >= before.idle)
    before = now
  }
})
