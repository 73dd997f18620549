'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const { createServer } = require('node:http')
const { Registry } = require('prom-client')
const { createMetrics } = require('../../lib/main/metrics/metrics')
const { createFakeSources, createFakeLogger } = require('../metrics/fake-sources')
const { skip, startPrometheus, query } = require('./prometheus')

async function serve (registry, t) {
  const server = createServer(async (request, response) => {
    response.setHeader('content-type', registry.contentType)
    response.end(await registry.metrics())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return server.address().port
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
