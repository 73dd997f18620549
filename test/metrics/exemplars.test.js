'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Counter, Histogram, Registry } = require('prom-client')
const { readOpenMetrics } = require('../../lib/api/admin/metrics-reading')
const { createMetrics } = require('../../lib/api/metrics/metrics')
const { prefersOpenMetrics } = require('../../lib/shared/group/exposition')
const { get, run } = require('../admin/running')
const { createFakeSources, createFakeLogger } = require('./fake-sources')

const TRACE = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
const IDS = `{trace_id="${TRACE.traceId}",span_id="${TRACE.spanId}"}`
// What Prometheus 2.42 sends.
const ACCEPT = 'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'

const stallOf = (durationMs, at, trace = TRACE) => ({ at, durationMs, cause: 'code', route: 'GET /auth', trace })

/** The lines of the series, whatever the order of labels. */
function seriesOf (text) {
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return lines.map(line => line.replace(/\{(.*?)\}(?= )/, (written, labels) => `{${labels.split(/(?<="),/).sort()}}`)).sort()
}

function createRegistry (stalls, contentType) {
  const registry = new Registry(contentType)
  const sources = createFakeSources()
  createMetrics({ registry, logger: createFakeLogger(), sources: { ...sources, stalls: { ...sources.stalls, traced: stalls.filter(({ trace }) => trace !== null) } } }).start()
  return registry
}

test('counters of stalls have the newest stall with a trace, and each bucket of the delay the newest that fell into it', async () => {
  const registry = createRegistry([stallOf(150, 5000, null), stallOf(400, 4000), stallOf(20_000, 3000), stallOf(300, 2000)])
  const { contentType, text } = await readOpenMetrics(registry)
  assert.match(contentType, /^application\/openmetrics-text/)
  const marked = text.split('\n').filter(line => line.includes(' # '))
  assert.deepEqual(marked, [
    `nodejs_eventloop_delay_seconds_bucket{le="0.5"} 25 # ${IDS} 0.4 4.4`,
    `nodejs_eventloop_delay_seconds_bucket{le="+Inf"} 25 # ${IDS} 20 23`,
    `loopscope_stalls_total{cause="code"} 1 # ${IDS} 0.4 4.4`,
    `loopscope_stall_seconds_total{cause="code"} 0.3 # ${IDS} 0.4 4.4`,
    `loopscope_stall_route_seconds_total{http_route="GET /auth"} 0.3 # ${IDS} 0.4 4.4`
  ])
  assert.ok(text.endsWith('\n# EOF\n'))
})

test('the registry is what it was, and its series have the names that they had', async () => {
  const registry = createRegistry([stallOf(400, 4000)])
  new Counter({ name: 'orders', help: 'Orders', registers: [registry] }).inc(2)
  const before = await registry.metrics()
  const { text } = await readOpenMetrics(registry)
  assert.equal(await registry.metrics(), before)
  assert.ok(!before.includes(' # '))
  assert.match(text, /^# TYPE orders unknown\norders 2$/m)
  assert.match(text, /^# TYPE loopscope_stalls counter$/m)
  assert.deepEqual(seriesOf(text.replace(/ # \{.*/gm, '')), seriesOf(before))
})

test('a registry that writes OpenMetrics itself has the same exemplars, and keeps those of the application', async () => {
  const registry = createRegistry([stallOf(400, 4000)], Registry.OPENMETRICS_CONTENT_TYPE)
  const waits = new Histogram({ name: 'waits', help: 'Waits', registers: [registry], buckets: [1], enableExemplars: true })
  waits.observe({ value: 0.5, labels: {}, exemplarLabels: { trace_id: 'a "trace"' } })
  const text = await registry.metrics()
  assert.match(text, /^waits_bucket\{le="1"\} 1 # \{trace_id="a \\"trace\\""\} 0\.5 /m)
  assert.deepEqual(seriesOf((await readOpenMetrics(registry)).text), seriesOf(text))
})

test('OpenMetrics is served to clients that prefer it', () => {
  for (const accept of [ACCEPT, 'application/openmetrics-text', 'text/plain;q=0.5, Application/OpenMetrics-Text; q=0.5']) assert.equal(prefersOpenMetrics(accept), true, accept)
  for (const accept of ['', '*/*', 'text/plain', 'text/plain;version=0.0.4, application/openmetrics-text;q=0.5', 'application/openmetrics-text;q=0', 'application/openmetrics-text;q=x']) {
    assert.equal(prefersOpenMetrics(accept), false, accept)
  }
})

/** As soon as the main thread has answered in time once: before that nothing is known. */
async function openMetricsAt (url) {
  for (;;) {
    const response = await get(url, { headers: { accept: ACCEPT } })
    const text = await response.text()
    if (response.headers.get('content-type').startsWith('application/openmetrics-text; version=1.0.0')) return text
    assert.deepEqual(text.match(/^[a-z]\w+/gm), ['loopscope_eventloop_blocked_now_seconds'])
  }
}

test('a scrape that asks for it gets the trace of a stalled request, and one that does not gets what it got before', async t => {
  const app = await run(t)
  const headers = { traceparent: `00-${TRACE.traceId}-${TRACE.spanId}-01` }
  await app.untilFrom(() => fetch(`${app.url}/auth`, { headers }), /^event loop stalled .* GET \/auth/)
  const url = `${await app.listenerUrl()}/metrics`
  const text = await openMetricsAt(url)
  assert.ok(new RegExp(`^loopscope_stall_route_seconds_total\\{http_route="GET /auth"\\} \\S+ # ${IDS} \\S+ \\S+$`, 'm').test(text))
  assert.match(text, /^loopscope_eventloop_blocked_now_seconds \S+\n# EOF\n$/m)
  for (const target of [url, `${url}?group=1`]) {
    const plain = await get(target, { headers: { accept: target === url ? 'text/plain' : ACCEPT } })
    assert.match(plain.headers.get('content-type'), /^text\/plain/)
    assert.doesNotMatch(await plain.text(), / # |# EOF/)
  }
})
