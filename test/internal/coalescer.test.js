'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Coalescer } = require('../../lib/shared/base/coalescer')

const tick = () => new Promise(resolve => setImmediate(resolve))

/** Turns that end when the test says so. */
function createSubject (parts = {}) {
  const taken = []
  const coalescer = new Coalescer({ take: () => new Promise((resolve, reject) => taken.push({ resolve, reject })), ...parts })
  return { coalescer, taken }
}

test('who comes while one is under way shares the next with the others, and gets nothing from before', async () => {
  const { coalescer, taken } = createSubject()
  const first = [coalescer.share(), coalescer.share()]
  await tick()
  const second = [coalescer.share(), coalescer.share(), coalescer.share()]
  assert.deepEqual([taken.length, coalescer.isWaiting], [1, true])
  taken[0].resolve('one')
  assert.deepEqual(await Promise.all(first), ['one', 'one'])
  await tick()
  assert.deepEqual([taken.length, coalescer.isWaiting], [2, false])
  taken[1].resolve('two')
  assert.deepEqual(await Promise.all(second), ['two', 'two', 'two'])
})

test('one that fails fails for those who share it, and for nobody else', async () => {
  const { coalescer, taken } = createSubject()
  const first = coalescer.share()
  await tick()
  const second = coalescer.share()
  taken[0].reject(new Error('gone'))
  await assert.rejects(first, /gone/)
  await tick()
  taken[1].resolve('fine')
  assert.equal(await second, 'fine')
})

test('after one there is a rest', async () => {
  const ends = []
  const coalescer = new Coalescer({ take: async () => { ends.push(performance.now()) }, restMs: () => 100 })
  const keepAlive = setInterval(() => {}, 1000)
  await coalescer.share()
  await coalescer.share()
  clearInterval(keepAlive)
  assert.ok(ends[1] - ends[0] >= 99, `${ends[1] - ends[0]}`)
})
