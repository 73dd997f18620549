'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const timers = require('node:timers')
const { setTimeout: sleep } = require('node:timers/promises')
const { Looking } = require('../../lib/observer/labels/looking')

test('a process that is idle is not looked at, and no timer runs', async () => {
  let looks = 0
  const looking = new Looking({ isBusy: () => false, look: async () => { looks++ } })
  looking.start()
  assert.equal(looking.running, false)
  assert.equal(looks, 0)
})

test('looks go on while there is work, one at a time, and end with it', async () => {
  let left = 5
  let atOnce = 0
  const looking = new Looking({
    isBusy: () => left > 0,
    async look () {
      left--
      assert.equal(atOnce++, 0)
      await sleep(1)
      atOnce--
    }
  })
  looking.start()
  while (looking.running) await sleep(5)
  assert.equal(left, 0)
})

test('a look that fails is not the last one', async () => {
  let looks = 0
  const looking = new Looking({ isBusy: () => looks < 3, look: async () => { looks++; throw new Error('closed') } })
  looking.start()
  while (looking.running) await sleep(5)
  assert.equal(looks, 3)
})

test('looks hurry while they tell what is new, and not for ever', t => {
  t.mock.method(Math, 'random', () => 1 - Math.exp(-1)) // each wait is the mean
  const waits = []
  const looking = new Looking({ isBusy: () => true, look: async () => {} })
  t.mock.method(timers, 'setTimeout', (_, ms) => {
    waits.push(Math.round(ms))
    return { unref: () => ({}) }
  })
  const nextWaits = times => {
    waits.length = 0
    for (let time = 0; time < times; time++) {
      looking.stop()
      looking.start()
    }
    return new Set(waits)
  }
  const [hurried] = nextWaits(100)
  looking.adapt(false)
  const [slower] = nextWaits(1)
  looking.adapt(true)
  nextWaits(400)
  const [fastest] = nextWaits(1)
  assert.ok(hurried < fastest && fastest < slower, `${hurried}, ${fastest}, ${slower}`)
})
