'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { setTimeout: sleep } = require('node:timers/promises')
const { start } = require('./started')

// A machine that others keep busy makes stalls of its own; none of them may be laid at the application's door.
const isOfTheApplication = ({ cause }) => cause === 'code' || cause === 'gc'

/** Waits for the report of a real stall, which comes after those of all stalls before it, and returns those. */
async function stallsBefore (app) {
  await app.get('/spin/200')
  await app.stall(({ route }) => route === 'GET /spin/:ms')
  return app.stalls.filter(({ route }) => route !== 'GET /spin/:ms')
}

test('a thousand quick requests are no stall', async t => {
  const app = await start(t, 'block.js')
  for (let id = 0; id < 1000; id++) {
    const { text } = await app.get(`/quick?id=${id}`)
    assert.deepEqual(JSON.parse(text), { id: `${id}` })
  }
  assert.deepEqual((await stallsBefore(app)).filter(isOfTheApplication), [])
})

test('an idle process does not stall', async t => {
  const app = await start(t, 'block.js')
  await sleep(3000)
  assert.deepEqual((await stallsBefore(app)).filter(isOfTheApplication), [])
})
