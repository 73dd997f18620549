'use strict'

// Requests that stand in line in the queue of a package: how long until it is their turn, whoever's code runs their work.

const test = require('node:test')
const assert = require('node:assert/strict')
const { startWaiting } = require('./running-waits')

const PACKAGES = ['p-limit', 'p-queue', 'p-throttle']
const AT_ONCE = 4
const ROUNDS = 6
const TOLERANCE = 0.15

/** On a busy machine the budget is spent before all requests are sampled: then again. */
const readLines = async (app, name, attempts = 4) => {
  const answer = app.read('/waits?seconds=2')
  for (let round = 0; round < ROUNDS; round++) await Promise.all(Array.from({ length: AT_ONCE }, () => app.get(name)))
  const { value } = await answer
  if (value.sampled < value.seen && attempts > 1) return readLines(app, name, attempts - 1)
  const [{ lines }] = value.routes
  return { lines, diagnosis: `${name}: ${JSON.stringify(value.routes, null, 1)}` }
}
const sum = (lines, toMs) => lines.reduce((all, line) => all + toMs(line), 0)

test('the time until its turn in p-limit, p-queue, p-throttle and a chain of then() is separated from that of the work', async t => {
  const app = await startWaiting(t, { fixture: 'queues.js', packages: PACKAGES, env: { LOOPSCOPE_WAITS: 'off' } })
  for (const name of ['limited', 'queued', 'paced', 'chained']) {
    const { lines, diagnosis } = await readLines(app, name)
    const share = sum(lines, ({ turnMs }) => turnMs) / sum(lines, ({ ms, queuedMs }) => ms + queuedMs)
    const { turnMs, allMs } = (await app.truth())[name]
    assert.ok(Math.abs(share - turnMs / allMs) < TOLERANCE, `${turnMs} of ${allMs}: ${diagnosis}`)
  }
  const { lines, diagnosis } = await readLines(app, 'locked')
  assert.equal(lines[0].resumedBy?.function, 'withLock', diagnosis)
})

test('work of its own in a queue, a shared load and a batch are no lines to stand in', async t => {
  const app = await startWaiting(t, { fixture: 'queues.js', packages: PACKAGES, env: { LOOPSCOPE_WAITS: 'off' } })
  for (const name of ['own', 'free', 'shared', 'batched']) {
    const { lines, diagnosis } = await readLines(app, name)
    assert.deepEqual([sum(lines, ({ turnMs }) => turnMs), lines.filter(({ resumedBy }) => resumedBy !== null)], [0, []], diagnosis)
  }
})
