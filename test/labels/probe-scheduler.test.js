'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const timers = require('node:timers')
const { setTimeout: sleep } = require('node:timers/promises')
const { ProbeScheduler } = require('../../lib/observer/labels/probe-scheduler')

test('an idle process is not probed, and no timer runs', async () => {
  let probes = 0
  const scheduler = new ProbeScheduler({ isBusy: () => false, probe: async () => { probes++ } })
  scheduler.start()
  assert.equal(scheduler.running, false)
  assert.equal(probes, 0)
})

test('probes go on while there is work, one at a time, and end with it', async () => {
  let left = 5
  let atOnce = 0
  const scheduler = new ProbeScheduler({
    isBusy: () => left > 0,
    async probe () {
      left--
      assert.equal(atOnce++, 0)
      await sleep(1)
      atOnce--
    }
  })
  scheduler.start()
  while (scheduler.running) await sleep(5)
  assert.equal(left, 0)
})

test('a probe that fails is not the last one', async () => {
  let probes = 0
  const scheduler = new ProbeScheduler({ isBusy: () => probes < 3, probe: async () => { probes++; throw new Error('closed') } })
  scheduler.start()
  while (scheduler.running) await sleep(5)
  assert.equal(probes, 3)
})

test('probes come faster while they show something new, but not without end', t => {
  t.mock.method(Math, 'random', () => 1 - Math.exp(-1)) // each wait is the mean
  const waits = []
  const scheduler = new ProbeScheduler({ isBusy: () => true, probe: async () => {} })
  t.mock.method(timers, 'setTimeout', (_, ms) => {
    waits.push(Math.round(ms))
    return { unref: () => ({}) }
  })
  const nextWaits = times => {
    waits.length = 0
    for (let time = 0; time < times; time++) {
      scheduler.stop()
      scheduler.start()
    }
    return new Set(waits)
  }
  const [boosted] = nextWaits(100)
  scheduler.adapt(false)
  const [slower] = nextWaits(1)
  scheduler.adapt(true)
  nextWaits(400)
  const [fastest] = nextWaits(1)
  assert.ok(boosted < fastest && fastest < slower, `${boosted}, ${fastest}, ${slower}`)
})
