'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { CaptureCounts } = require('../../lib/observer/counts')

const LIVING = new AbortController().signal
const ORDER = { request: { kind: 'cpu' }, trigger: 'api' }

async function fail () {
  throw new Error('no space')
}

test('captures are counted by kind, trigger and outcome, and hand on what they end with', async () => {
  const counts = new CaptureCounts()
  assert.deepEqual(counts.counts(), { totals: [], inProgress: [], durations: [] })
  assert.equal(await counts.around(ORDER, LIVING, async () => 'artifact'), 'artifact')
  await counts.around(ORDER, LIVING, async () => {})
  await assert.rejects(counts.around(ORDER, LIVING, fail), { message: 'no space' })
  await assert.rejects(counts.around(ORDER, AbortSignal.abort(), fail), { message: 'no space' })
  counts.count('cpu', 'signal', 'skipped')
  assert.deepEqual(counts.counts().totals, [
    { kind: 'cpu', trigger: 'api', outcome: 'ok', count: 2 },
    { kind: 'cpu', trigger: 'api', outcome: 'failed', count: 1 },
    { kind: 'cpu', trigger: 'api', outcome: 'cancelled', count: 1 },
    { kind: 'cpu', trigger: 'signal', outcome: 'skipped', count: 1 }
  ])
})

test('what is under way goes up and down, and only what was begun has a duration', async () => {
  const counts = new CaptureCounts()
  const ends = []
  const captures = [1, 2].map(() => counts.around(ORDER, LIVING, () => new Promise(resolve => ends.push(resolve))))
  counts.count('cpu', 'signal', 'skipped')
  assert.deepEqual([counts.counts().inProgress, counts.counts().durations], [[{ kind: 'cpu', count: 2 }], []])
  for (const end of ends) end()
  await Promise.all(captures)
  const { inProgress, durations: [{ kind, reading }] } = counts.counts()
  assert.deepEqual([inProgress, kind, reading.count], [[{ kind: 'cpu', count: 0 }], 'cpu', 2])
  assert.ok(reading.sum > 0)
})
