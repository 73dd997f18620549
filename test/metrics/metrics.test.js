'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Registry, Gauge, collectDefaultMetrics } = require('prom-client')
const { DEFINITIONS } = require('../../lib/api/metrics/definitions')
const { createMetrics } = require('../../lib/api/metrics/metrics')
const { forgetWarnings } = require('../../lib/base/warnings')
const { createFakeSources, createFakeLogger } = require('./fake-sources')

const namesIn = registry => registry.getMetricsAsArray().map(metric => metric.name).sort()
const allNames = DEFINITIONS.map(definition => definition.name).sort()

function start ({ registry = new Registry(), logger = createFakeLogger(), sources = createFakeSources() } = {}) {
  const metrics = createMetrics({ registry, logger, sources })
  metrics.start()
  return { metrics, registry, logger }
}

test('registers every metric of the table once, beside prom-client\'s own', () => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const own = namesIn(registry)
  forgetWarnings()
  const { metrics, logger } = start({ registry })
  metrics.start()
  assert.deepEqual(namesIn(registry), [...own, ...allNames].sort())
  assert.deepEqual(logger.warnings, [])
})

test('stop() leaves the registry as it was, and start() works again', () => {
  const registry = new Registry()
  const own = new Gauge({ name: 'app_things', help: 'Things', registers: [registry] })
  const { metrics } = start({ registry })
  metrics.stop()
  metrics.stop()
  assert.deepEqual(registry.getMetricsAsArray(), [own])
  metrics.start()
  assert.equal(namesIn(registry).length, allNames.length + 1)
})

test('a name that is taken is left out with one warning and stays the application\'s', () => {
  forgetWarnings()
  const registry = new Registry()
  const theirs = ['http_server_active_requests', 'loopscope_stalls_total'].map(name =>
    new Gauge({ name, help: 'Theirs', registers: [registry] }))
  const { metrics, logger } = start({ registry })
  assert.equal(registry.getSingleMetric('loopscope_stalls_total'), theirs[1])
  assert.deepEqual(logger.warnings.map(({ code }) => code), ['LOOPSCOPE_WARN_METRIC_TAKEN'])
  for (const { name } of theirs) assert.match(logger.warnings[0].message, new RegExp(name))
  metrics.stop()
  assert.deepEqual(namesIn(registry), theirs.map(({ name }) => name))
})

test('stop() does not remove what the application put in place of loopscope\'s', () => {
  const { metrics, registry } = start()
  registry.clear()
  const theirs = new Gauge({ name: 'loopscope_build_info', help: 'Theirs', registers: [registry] })
  metrics.stop()
  assert.deepEqual(registry.getMetricsAsArray(), [theirs])
})

test('a metric without its source is not registered', () => {
  const { pool } = createFakeSources()
  const { registry } = start({ sources: { pool } })
  assert.deepEqual(namesIn(registry), ['loopscope_threadpool_queued_total'])
})

test('a source that throws leaves the other metrics readable and is logged once', async () => {
  forgetWarnings()
  const sources = createFakeSources()
  sources.stalls = { get totals () { throw new Error('broken') } }
  const { registry, logger } = start({ sources })
  const text = await registry.metrics()
  assert.match(text, /^loopscope_build_info\{version="1\.2\.3"\} 1$/m)
  assert.doesNotMatch(text, /^loopscope_stalls_total\{/m)
  assert.deepEqual(logger.warnings.map(({ code }) => code), ['LOOPSCOPE_WARN_INTERNAL'])
})

test('what the observer counts is asked once a scrape, and left out where there is no observer', async () => {
  const { delay, stalls } = createFakeSources()
  let asked = 0
  let counts = { stalls }
  const observer = { sources: ['stalls'], read: async () => { asked++; return counts } }
  const { registry } = start({ sources: { delay, observer } })
  assert.match(await registry.metrics(), /^loopscope_stalls_total\{cause="code"\} 1$/m)
  assert.ok(asked > 0)
  counts = {}
  const text = await registry.metrics()
  assert.match(text, /^nodejs_eventloop_delay_seconds_count 25$/m)
  assert.doesNotMatch(text, /^loopscope_stalls_total\{/m)
})

test('refuses what is not a registry', () => {
  assert.throws(() => createMetrics({ registry: {}, logger: createFakeLogger(), sources: {} }),
    { code: 'ERR_LOOPSCOPE_INVALID_OPTION', message: /^options\.registry must be an object with the methods/ })
})
