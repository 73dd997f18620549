'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createSharedTurn } = require('../../lib/shared/base/coalescer')

const tick = () => new Promise(resolve => setImmediate(resolve))

/** Turns that end when the test says so. */
function createSubject (parts = {}) {
  const taken = []
  const turn = createSharedTurn({ take: () => new Promise((resolve, reject) => taken.push({ resolve, reject })), ...parts })
  return { turn, taken }
}

test('who comes while one is under way shares the next with the others, and gets nothing from before', async () => {
  const { turn, taken } = createSubject()
  const first = [turn.share(), turn.share()]
  await tick()
  const second = [turn.share(), turn.share(), turn.share()]
  assert.deepEqual([taken.length, turn.isWaiting], [1, true])
  taken[0].resolve('one')
  assert.deepEqual(await Promise.all(first), ['one', 'one'])
  await tick()
  assert.deepEqual([taken.length, turn.isWaiting], [2, false])
  taken[1].resolve('two')
  assert.deepEqual(await Promise.all(second), ['two', 'two', 'two'])
})

test('one that fails fails for those who share it, and for nobody else', async () => {
  const { turn, taken } = createSubject()
  const first = turn.share()
  await tick()
  const second = turn.share()
  taken[0].reject(new Error('gone'))
  await assert.rejects(first, /gone/)
  await tick()
  taken[1].resolve('fine')
  assert.equal(await second, 'fine')
})

test('after one there is a rest', async () => {
  const ends = []
  const turn = createSharedTurn({ take: async () => { ends.push(performance.now()) }, restMs: () => 100 })
  const keepAlive = setInterval(() => {}, 1000)
  await turn.share()
  await turn.share()
  clearInterval(keepAlive)
  assert.ok(ends[1] - ends[0] >= 99, `${ends[1] - ends[0]}`)
})
