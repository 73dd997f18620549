'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { AggregatorRegistry, Registry } = require('prom-client')
const { DEFINITIONS } = require('../../lib/api/metrics/definitions')
const { createMetrics } = require('../../lib/api/metrics/metrics')
const { createFakeSources, createFakeLogger } = require('./fake-sources')

/** What prom-client's cluster support gets from a worker: JSON that went through a channel. */
async function readWorker (sources) {
  const registry = new Registry()
  createMetrics({ registry, logger: createFakeLogger(), sources }).start()
  return JSON.parse(JSON.stringify(await registry.getMetricsAsJSON()))
}

async function aggregate () {
  const busy = { ...createFakeSources({ blockedMs: 700 }), utilization: { read: () => ({ utilization: 0.25, activeSeconds: 1, idleSeconds: 3 }) } }
  const workers = await Promise.all([createFakeSources({ blockedMs: 300 }), busy].map(readWorker))
  return AggregatorRegistry.aggregate(workers)
}

test('workers add up: histograms and counters by sum, bucket by bucket', async () => {
  const text = await (await aggregate()).metrics()
  assert.match(text, /^nodejs_eventloop_delay_seconds_bucket\{le="0\.001"\} 20$/m)
  assert.match(text, /^nodejs_eventloop_delay_seconds_bucket\{le="0\.25"\} 44$/m)
  assert.match(text, /^nodejs_eventloop_delay_seconds_count 70$/m)
  assert.match(text, /^loopscope_stalls_total\{cause="code"\} 2$/m)
  assert.match(text, /^loopscope_stall_seconds_total\{cause="code"\} 1$/m)
  assert.match(text, /^nodejs_eventloop_time_seconds_total\{nodejs_eventloop_state="idle"\} 4$/m)
  assert.match(text, /^http_server_active_requests\{http_request_method="POST",url_scheme="http"\} 2$/m)
})

test('the maximum is the worst worker\'s, utilization the mean, the version once', async () => {
  const text = await (await aggregate()).metrics()
  assert.match(text, /^nodejs_eventloop_delay_max_seconds 0\.7$/m)
  assert.match(text, /^nodejs_eventloop_utilization_ratio 0\.5$/m)
  assert.match(text, /^loopscope_build_info\{version="1\.2\.3"\} 1$/m)
})

test('no metric is lost on the way', async () => {
  const names = (await aggregate()).getMetricsAsArray().map(metric => metric.name)
  assert.deepEqual(names, DEFINITIONS.map(definition => definition.name))
})
