'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createSyncSamples } = require('../../lib/observer/sync-calls/sync-samples')
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
