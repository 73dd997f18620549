'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { SingleFlight } = require('../../lib/base/single-flight')

const tick = () => new Promise(resolve => setImmediate(resolve))

/** Turns that end when the test says so. */
function createSubject (parts = {}) {
  const taken = []
  const flight = new SingleFlight({ take: () => new Promise((resolve, reject) => taken.push({ resolve, reject })), ...parts })
  return { flight, taken }
}

test('callers that arrive during a run share the next one, and get nothing from before', async () => {
  const { flight, taken } = createSubject()
  const first = [flight.share(), flight.share()]
  await tick()
  const second = [flight.share(), flight.share(), flight.share()]
  assert.deepEqual([taken.length, flight.isWaiting], [1, true])
  taken[0].resolve('one')
  assert.deepEqual(await Promise.all(first), ['one', 'one'])
  await tick()
  assert.deepEqual([taken.length, flight.isWaiting], [2, false])
  taken[1].resolve('two')
  assert.deepEqual(await Promise.all(second), ['two', 'two', 'two'])
})

test('a failure reaches the callers that share the run, and no others', async () => {
  const { flight, taken } = createSubject()
  const first = flight.share()
  await tick()
  const second = flight.share()
  taken[0].reject(new Error('gone'))
  await assert.rejects(first, /gone/)
  await tick()
  taken[1].resolve('fine')
  assert.equal(await second, 'fine')
})

test('after one there is a rest', async () => {
  const ends = []
  const flight = new SingleFlight({ take: async () => { ends.push(performance.now()) }, restMs: () => 100 })
  const keepAlive = setInterval(() => {}, 1000)
  await flight.share()
  await flight.share()
  clearInterval(keepAlive)
  assert.ok(ends[1] - ends[0] >= 99, `${ends[1] - ends[0]}`)
})
