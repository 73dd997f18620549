'use strict'

// Requests that stand in line in the queue of a package: how long until it is their turn, whoever's code runs their work.

const test = require('node:test')
const assert = require('node:assert/strict')
const { startWaiting } = require('./running-waits')

const AT_ONCE = 4
const ROUNDS = 6

test('the time until its turn in p-limit and p-queue is separated from that of the work, and a queue of its own has none', async t => {
  const app = await startWaiting(t, { fixture: 'queues.js', packages: ['p-limit', 'p-queue'], env: { LOOPSCOPE_WAITS: 'off' } })
  for (const name of ['limited', 'queued', 'own', 'free']) {
    const answer = app.read('/waits?seconds=3')
    for (let round = 0; round < ROUNDS; round++) await Promise.all(Array.from({ length: AT_ONCE }, () => app.get(name)))
    const { value } = await answer
    const [{ lines: [line] }] = value.routes
    const diagnosis = `${name}: ${JSON.stringify(value.routes, null, 1)}`
    const share = line.turnMs / (line.ms + line.queuedMs)
    // Of four at once the first does not wait, the second for one, the last for three: 6 of 10 parts.
    if (name === 'limited' || name === 'queued') assert.ok(share > 0.4 && share < 0.8, diagnosis)
    else assert.equal(line.turnMs, 0, diagnosis)
  }
})
