'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createSyncSamples, SampledTable } = require('../../lib/observer/sync-calls/sync-samples')
const { windowOf } = require('./crafted')

function createSubject () {
  const sent = []
  return { samples: createSyncSamples({ send: reading => sent.push(structuredClone(reading)) }), sent }
}

const second = 1e6
const calls = [['readFileSync', 'page', second]]

test('what is told is all since the start, with the routes of the samples', () => {
  const { samples, sent } = createSubject()
  for (const start of [10, 11]) samples.addWindow({ ...windowOf(calls, start * second), routes: { names: ['GET /page'], samples: [0] } })
  samples.addWindow(windowOf(calls, 12 * second))
  assert.deepEqual(sent.map(({ busyMicros, sites: [site] }) => [busyMicros, site.api, site.micros, [...site.routes]]), [
    [second, 'fs.readFileSync', second, [['GET /page', second]]],
    [2 * second, 'fs.readFileSync', 2 * second, [['GET /page', 2 * second]]],
    [3 * second, 'fs.readFileSync', 3 * second, [['GET /page', 2 * second]]]
  ])
})

test('windows without synchronous calls are told too: the time at work is read from them', () => {
  const { samples, sent } = createSubject()
  for (const start of [10, 11]) samples.addWindow(windowOf([[null, 'page', second]], start * second))
  assert.deepEqual(sent.map(({ busyMicros, sites }) => [busyMicros, sites]), [[second, []], [2 * second, []]])
})

test('windows add up, by API and caller, heaviest first', () => {
  const table = new SampledTable()
  table.add(windowOf([['readFileSync', 'page', 10_000], ['readFileSync', 'auth', 30_000]]))
  table.add(windowOf([['readFileSync', 'page', 50_000], ['statSync', 'page', 5_000], [null, 'page', 5_000]]))
  const { busyMicros, sites } = table.read()
  assert.equal(busyMicros, 100_000)
  assert.deepEqual(sites.map(({ api, caller, micros }) => [api, caller.functionName, micros]),
    [['fs.readFileSync', 'page', 60_000], ['fs.readFileSync', 'auth', 30_000], ['fs.statSync', 'page', 5000]])
})

test('a hundred thousand callers end in _other, and their time is not lost', () => {
  const table = new SampledTable()
  for (let window = 0; window < 10; window++) {
    const calls = Array.from({ length: 10_000 }, (_, number) => ['readFileSync', `page${window}_${number}`, 10])
    table.add(windowOf(calls))
  }
  const { sites } = table.read()
  assert.equal(sites.length, 500)
  assert.deepEqual([sites[0].api, sites[0].caller.functionName, sites[0].micros], ['_other', '_other', (100_000 - 499) * 10])
})

test('routes of one site beyond 20 are _other', () => {
  const table = new SampledTable()
  const window = windowOf(Array.from({ length: 60 }, () => ['readFileSync', 'page', 10]))
  const numbers = Array.from({ length: 60 }, (_, number) => number)
  table.add({ ...window, routes: { names: numbers.map(number => `GET /${number}`), samples: numbers } })
  const { routes } = table.read().sites[0]
  assert.equal(routes.size, 21)
  assert.equal(routes.get('_other'), 400)
})
