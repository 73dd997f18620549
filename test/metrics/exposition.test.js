'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Registry } = require('prom-client')
const { createMetrics } = require('../../lib/api/metrics/metrics')
const { createFakeSources, createFakeLogger, CAUSES } = require('./fake-sources')

function createRegistry (sources, contentType) {
  const registry = new Registry(contentType)
  createMetrics({ registry, logger: createFakeLogger(), sources }).start()
  return registry
}

/** @returns {Map<string, number>} value by series as it is written */
function parse (text) {
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return new Map(lines.map(line => {
    const end = line.lastIndexOf(' ')
    return [line.slice(0, end), Number(line.slice(end + 1))]
  }))
}

test('the text holds the numbers of the sources', async () => {
  const series = parse(await createRegistry(createFakeSources()).metrics())
  assert.equal(series.get('nodejs_eventloop_delay_seconds_bucket{le="0.001"}'), 10)
  assert.equal(series.get('nodejs_eventloop_delay_seconds_bucket{le="0.25"}'), 22)
  assert.equal(series.get('nodejs_eventloop_delay_seconds_bucket{le="+Inf"}'), 25)
  assert.equal(series.get('nodejs_eventloop_delay_seconds_count'), 25)
  assert.equal(series.get('nodejs_eventloop_delay_max_seconds'), 0.3)
  assert.equal(series.get('nodejs_eventloop_delay_min_seconds'), 0.0004)
  assert.ok(Math.abs(series.get('nodejs_eventloop_delay_p99_seconds') - 0.3) < 0.01)
  assert.equal(series.get('v8js_gc_duration_seconds_bucket{le="0.005",v8js_gc_type="minor"}'), 1)
  assert.equal(series.get('v8js_memory_heap_used_bytes{v8js_heap_space_name="old_space"}'), 3e7)
  assert.equal(series.get('v8js_memory_heap_space_available_size_bytes{v8js_heap_space_name="old_space"}'), 1e6)
  assert.equal(series.get('nodejs_eventloop_time_seconds_total{nodejs_eventloop_state="active"}'), 3)
  assert.equal(series.get('loopscope_stall_seconds_total{cause="code"}'), 0.3)
  assert.equal(series.get('loopscope_stall_route_seconds_total{http_route="GET /auth"}'), 0.3)
  for (const cause of CAUSES) assert.ok(series.has(`loopscope_stalls_total{cause="${cause}"}`), cause)
  assert.equal(series.get('http_server_request_duration_seconds_bucket{le="0.025",http_request_method="GET",url_scheme="http",http_route="/say/\\"hi\\"\\\\:name",http_response_status_code="200"}'), 2)
  assert.equal(series.get('http_server_active_requests{http_request_method="POST",url_scheme="http"}'), 1)
  assert.equal(series.get('loopscope_captures_total{kind="cpu",trigger="http",outcome="failed"}'), 2)
  assert.ok([...series.values()].every(Number.isFinite))
})

test('synchronous calls are exported by API, route and source, and the clock once it is used', async () => {
  const series = parse(await createRegistry(createFakeSources()).metrics())
  assert.equal(series.get('loopscope_sync_calls_total{api="crypto.pbkdf2Sync",http_route="/auth"}'), 3)
  assert.equal(series.get('loopscope_sync_call_seconds_total{api="crypto.pbkdf2Sync",http_route="/auth",source="exact"}'), 0.3)
  assert.equal(series.get('loopscope_sync_call_seconds_total{api="fs.readFileSync",http_route="",source="sampled"}'), 0.2)
  assert.equal(series.get('loopscope_sync_call_flags_total{api="crypto.pbkdf2Sync",http_route="/auth"}'), 1)
  assert.equal(series.get('loopscope_threadpool_queued_total'), 2)
  assert.equal(series.get('loopscope_clock_staleness_max_seconds'), 0.025)
  const unused = parse(await createRegistry({ ...createFakeSources(), clock: { recentMaxStalenessMs: null } }).metrics())
  assert.equal(unused.has('loopscope_clock_staleness_max_seconds'), false)
})

test('the maximum is the longer of the tick\'s and the turn\'s', async () => {
  const sources = { ...createFakeSources(), iterations: { recentMaxMs: 315 } }
  const series = parse(await createRegistry(sources).metrics())
  assert.equal(series.get('nodejs_eventloop_delay_max_seconds'), 0.315)
})

test('two readers and a reset see equal counts', async () => {
  const registry = createRegistry(createFakeSources())
  const [first, second] = await Promise.all([registry.metrics(), registry.metrics()])
  assert.equal(first, second)
  registry.resetMetrics()
  assert.equal(await registry.metrics(), first)
  assert.equal(parse(await registry.getSingleMetricAsString('loopscope_stalls_total')).get('loopscope_stalls_total{cause="code"}'), 1)
})

test('default labels of the registry reach every series, in text and JSON', async () => {
  const registry = createRegistry(createFakeSources())
  registry.setDefaultLabels({ app: 'shop' })
  for (const name of parse(await registry.metrics()).keys()) assert.match(name, /app="shop"/)
  for (const { name, values } of await registry.getMetricsAsJSON()) {
    assert.ok(values.length > 0, name)
    assert.ok(values.every(value => value.labels.app === 'shop'), name)
  }
})

test('JSON gives every line of a histogram all its labels', async () => {
  const metrics = await createRegistry(createFakeSources()).getMetricsAsJSON()
  const { values } = metrics.find(({ name }) => name === 'loopscope_capture_duration_seconds')
  assert.deepEqual(values, [
    { metricName: 'loopscope_capture_duration_seconds_bucket', labels: { kind: 'cpu', le: 1 }, value: 0 },
    { metricName: 'loopscope_capture_duration_seconds_bucket', labels: { kind: 'cpu', le: 10 }, value: 0 },
    { metricName: 'loopscope_capture_duration_seconds_bucket', labels: { kind: 'cpu', le: '+Inf' }, value: 1 },
    { metricName: 'loopscope_capture_duration_seconds_sum', labels: { kind: 'cpu' }, value: 10.2 },
    { metricName: 'loopscope_capture_duration_seconds_count', labels: { kind: 'cpu' }, value: 1 }
  ])
})

test('OpenMetrics writes counters with one _total', async () => {
  const registry = createRegistry(createFakeSources(), Registry.OPENMETRICS_CONTENT_TYPE)
  for (let scrape = 0; scrape < 2; scrape++) {
    const text = await registry.metrics()
    assert.match(text, /^# TYPE loopscope_stalls counter$/m)
    assert.match(text, /^loopscope_stalls_total\{cause="code"\} 1$/m)
    assert.doesNotMatch(text, /_total_total/)
    assert.ok(text.endsWith('# EOF\n'))
  }
})
