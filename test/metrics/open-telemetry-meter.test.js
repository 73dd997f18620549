'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const { ApplicationMetrics } = require('../../lib/api/metrics/application-metrics')
const { holdMeter } = require('../../lib/api/metrics/open-telemetry-meter')
const { createFakeLogger, createFakeSources } = require('./fake-sources')

const API = Symbol.for('opentelemetry.js.api.1')

/** A MeterProvider in the shape of @opentelemetry/api. */
function createProvider () {
  const instruments = new Map()
  const callbacks = new Set()
  const recorded = []
  const create = type => (name, options) => {
    const instrument = { name, type, ...options, record: (value, attributes) => recorded.push({ name, value, attributes }) }
    instruments.set(name, instrument)
    return instrument
  }
  const meter = {
    createObservableCounter: create('counter'),
    createObservableGauge: create('gauge'),
    createObservableUpDownCounter: create('up-down-counter'),
    createHistogram: create('histogram'),
    addBatchObservableCallback: callback => callbacks.add(callback),
    removeBatchObservableCallback: callback => callbacks.delete(callback)
  }
  const read = () => {
    const rows = []
    for (const callback of callbacks) callback({ observe: ({ name }, value, attributes) => rows.push({ name, value, attributes }) })
    return rows
  }
  return { instruments, callbacks, recorded, read, getMeter: () => meter }
}

test('the conventions\' metrics are observed at each export, with their attributes and units', () => {
  const provider = createProvider()
  const release = holdMeter(provider, createFakeSources())
  const rows = provider.read()
  const valueOf = (name, attributes = {}) => rows.find(row => row.name === name && JSON.stringify(row.attributes) === JSON.stringify(attributes))?.value
  assert.equal(valueOf('nodejs.eventloop.delay.max'), 0.3)
  assert.equal(valueOf('nodejs.eventloop.utilization'), 0.75)
  assert.equal(valueOf('nodejs.eventloop.time', { 'nodejs.eventloop.state': 'active' }), 3)
  assert.equal(valueOf('v8js.memory.heap.space.size', { 'v8js.heap.space.name': 'old_space' }), 4e7)
  assert.equal(valueOf('http.server.active_requests', { 'http.request.method': 'POST', 'url.scheme': 'http' }), 1)
  assert.equal(provider.instruments.get('v8js.memory.heap.used').unit, 'By')
  assert.equal(provider.instruments.has('http.server.request.duration'), false)
  assert.ok(rows.every(({ name }) => !name.startsWith('loopscope')))
  release()
  assert.deepEqual(provider.read(), [])
})

test('collections are recorded as they come, by one of two applications of a process, until both are closed', () => {
  const provider = createProvider()
  const sources = createFakeSources()
  const releases = [holdMeter(provider, sources), holdMeter(provider, sources)]
  const collect = () => { for (const listener of sources.collections.listeners) listener('major', 0.02) }
  collect()
  assert.deepEqual(provider.recorded, [{ name: 'v8js.gc.duration', value: 0.02, attributes: { 'v8js.gc.type': 'major' } }])
  assert.equal(provider.callbacks.size, 1)
  releases[0]()
  collect()
  assert.equal(provider.recorded.length, 2)
  releases[1]()
  collect()
  assert.equal(provider.recorded.length, 2)
  assert.equal(sources.collections.listeners.size, 0)
})

test('where OpenTelemetry\'s instrumentation of the runtime is loaded, only what it lacks is reported', t => {
  const file = '/app/node_modules/@opentelemetry/instrumentation-runtime-node/build/src/index.js'
  require.cache[file] = { loaded: true }
  t.after(() => delete require.cache[file])
  const provider = createProvider()
  const release = holdMeter(provider, createFakeSources())
  t.after(release)
  assert.deepEqual([...provider.instruments.keys()], ['http.server.active_requests'])
})

test('an SDK that is registered after the start is found, and a closed application leaves nothing', async t => {
  const metrics = new ApplicationMetrics({ find: () => undefined, logger: createFakeLogger() })
  metrics.start(createFakeSources())
  await sleep(20) // the first look, which finds none
  const provider = createProvider()
  globalThis[API] = { version: '1.9.1', metrics: provider }
  t.after(() => delete globalThis[API])
  while (provider.callbacks.size === 0) await sleep(20)
  metrics.stop()
  assert.equal(provider.callbacks.size, 0)
})
