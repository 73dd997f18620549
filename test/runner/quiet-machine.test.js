'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { quietMachine } = require('./quiet-machine')

async function saidWith (bounds) {
  const said = []
  await quietMachine({ diagnostic: message => said.push(message) }, bounds)
  return said
}

test('a machine that is quiet enough is not waited for', async () => {
  assert.deepEqual(await saidWith({ minIdleShare: 0, maxQueueShare: 1 }), [])
})

test('one that never is delays a test for a bounded time, and the report states it', async () => {
  const [said] = await saidWith({ minIdleShare: 2, maxWaitMs: 1 })
  assert.match(said, /^no quiet machine within 1 ms: \d+ % idle, \d+ % of the time in line$/)
})
