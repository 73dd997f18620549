'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createServer } = require('node:http')
const { Registry } = require('prom-client')
const { createMetrics } = require('../../lib/api/metrics/metrics')
const { run, TOKEN } = require('../admin/running')
const { createFakeSources, createFakeLogger } = require('../metrics/fake-sources')
const { skip, startPrometheus, query, queryExemplars } = require('./prometheus')
const { listen } = require('../http/listening')

async function serve (registry, t) {
  const server = createServer(async (request, response) => {
    response.setHeader('content-type', registry.contentType)
    response.end(await registry.metrics())
  })
  return listen(t, server)
}

test('Prometheus scrapes the metrics and answers a quantile of the delay', { skip }, async t => {
  const sources = createFakeSources({ blockedMs: 300 })
  const registry = new Registry()
  createMetrics({ registry, logger: createFakeLogger(), sources }).start()
  const url = await startPrometheus(t, { job_name: 'app', static_configs: [{ targets: [`127.0.0.1:${await serve(registry, t)}`] }] })

  const isOne = result => result.length === 1
  const [up] = await query(url, 'up == 1', isOne)
  assert.equal(up.metric.job, 'app')
  // 24.75 of the 25 ticks: 2.75 of the 3 between 250 and 500 ms.
  const [quantile] = await query(url, 'histogram_quantile(0.99, sum by (le) (nodejs_eventloop_delay_seconds_bucket))', isOne)
  assert.ok(Math.abs(Number(quantile.value[1]) - (0.25 + 0.25 * 2.75 / 3)) < 1e-9)

  const causes = await query(url, 'loopscope_stalls_total', result => result.length === 5)
  assert.deepEqual(causes.filter(({ value }) => value[1] === '1').map(({ metric }) => metric.cause), ['code'])
  // A histogram is worth scraping only if a rate over it works: block again and ask for what came since.
  sources.delay.record(2000)
  await query(url, 'increase(nodejs_eventloop_delay_seconds_count[1m]) > 0', isOne)
})

test('Prometheus finds the trace of a stalled request beside the numbers that it is counted in', { skip }, async t => {
  const app = await run(t)
  const trace = { trace_id: '0af7651916cd43dd8448eb211c80319c', span_id: 'b7ad6b7169203331' }
  await fetch(`${app.url}/auth`, { headers: { traceparent: `00-${trace.trace_id}-${trace.span_id}-01` } })
  const { stall } = await app.until(/^event loop stalled .* GET \/auth/)
  const url = await startPrometheus(t, {
    job_name: 'app',
    metrics_path: '/metrics',
    authorization: { credentials: TOKEN },
    static_configs: [{ targets: [new URL(await app.listenerUrl()).host] }]
  })
  for (const series of ['nodejs_eventloop_delay_seconds_bucket', 'loopscope_stall_seconds_total', 'loopscope_stall_route_seconds_total{http_route="GET /auth"}']) {
    const [{ labels, value }] = await queryExemplars(url, series)
    assert.deepEqual([labels, Number(value)], [trace, stall.durationMs / 1e3], series)
  }
  const series = await query(url, 'up == 1 or loopscope_stalls_total > 0', result => result.length > 1)
  assert.ok(series.some(({ metric }) => metric.__name__ === 'loopscope_stalls_total'))
})
