'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createTally } = require('../../lib/main/captures/tally')

const ORDER = { request: { kind: 'cpu' }, trigger: 'api' }

async function fail () {
  throw new Error('no space')
}

test('captures are counted by kind, trigger and outcome, and hand on what they end with', async () => {
  const tally = createTally()
  assert.deepEqual(tally.read(), { totals: [], inProgress: [], durations: [] })
  assert.equal(await tally.around(ORDER, undefined, async () => 'artifact'), 'artifact')
  await tally.around(ORDER, new AbortController().signal, async () => {})
  await assert.rejects(tally.around(ORDER, undefined, fail), { message: 'no space' })
  await assert.rejects(tally.around(ORDER, AbortSignal.abort(), fail), { message: 'no space' })
  tally.count('cpu', 'signal', 'skipped')
  assert.deepEqual(tally.read().totals, [
    { kind: 'cpu', trigger: 'api', outcome: 'ok', count: 2 },
    { kind: 'cpu', trigger: 'api', outcome: 'failed', count: 1 },
    { kind: 'cpu', trigger: 'api', outcome: 'cancelled', count: 1 },
    { kind: 'cpu', trigger: 'signal', outcome: 'skipped', count: 1 }
  ])
})

test('what is under way goes up and down, and only what was begun has a duration', async () => {
  const tally = createTally()
  const ends = []
  const captures = [1, 2].map(() => tally.around(ORDER, undefined, () => new Promise(resolve => ends.push(resolve))))
  tally.count('cpu', 'signal', 'skipped')
  assert.deepEqual([tally.read().inProgress, tally.read().durations], [[{ kind: 'cpu', count: 2 }], []])
  for (const end of ends) end()
  await Promise.all(captures)
  const { inProgress, durations: [{ kind, reading }] } = tally.read()
  assert.deepEqual([inProgress, kind, reading.count], [[{ kind: 'cpu', count: 0 }], 'cpu', 2])
  assert.ok(reading.sum > 0)
})
