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

test('a window is told when the next one has come, with the routes that were told in between', () => {
  const { samples, sent } = createSubject()
  samples.addWindow(windowOf(calls, 10 * second))
  assert.equal(sent.length, 0)
  samples.addWork([{ fromMicros: 10 * second, toMicros: 11 * second, route: 'GET /page' }])
  samples.addWindow(windowOf(calls, 11 * second))
  assert.equal(sent.length, 1)
  const [{ busyMicros, sites: [site] }] = sent
  assert.deepEqual([busyMicros, site.api, site.micros, [...site.routes]], [second, 'fs.readFileSync', second, [['GET /page', second]]])
})

test('what is told is all since the start, and work of a window that is over is not counted again', () => {
  const { samples, sent } = createSubject()
  samples.addWork([{ fromMicros: 10 * second, toMicros: 11 * second, route: 'GET /page' }])
  for (const start of [10, 11, 12]) samples.addWindow(windowOf(calls, start * second))
  assert.deepEqual(sent.map(({ sites: [site] }) => [site.micros, site.routes.get('GET /page')]), [[second, second], [2 * second, second]])
})

test('work of two senders is put in order', () => {
  const { samples, sent } = createSubject()
  samples.addWindow(windowOf([...calls, ...calls], 10 * second))
  samples.addWork([{ fromMicros: 11.5 * second, toMicros: 12 * second, route: 'GET /b' }])
  samples.addWork([{ fromMicros: 10 * second, toMicros: 11 * second, route: 'GET /a' }])
  samples.addWindow(windowOf(calls, 12 * second))
  assert.deepEqual([...sent[0].sites[0].routes], [['GET /a', second], ['GET /b', second]])
})

test('windows without synchronous calls are told too: the time at work is read from them', () => {
  const { samples, sent } = createSubject()
  for (const start of [10, 11, 12]) samples.addWindow(windowOf([[null, 'page', second]], start * second))
  assert.deepEqual(sent.map(({ busyMicros, sites }) => [busyMicros, sites]), [[second, []], [2 * second, []]])
})
