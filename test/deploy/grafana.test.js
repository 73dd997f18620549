'use strict'

const assert = require('node:assert/strict')
const { createServer } = require('node:http')
const { test } = require('node:test')
const { Registry } = require('prom-client')
const { DEFINITIONS } = require('../../lib/api/metrics/definitions')
const { createMetrics } = require('../../lib/api/metrics/metrics')
const prometheus = require('../interop/prometheus')
const { createFakeLogger, createFakeSources } = require('../metrics/fake-sources')
const { fileOf, read } = require('./deployed')
const { listen } = require('../http/listening')

const STUCK = 'loopscope_eventloop_blocked_now_seconds' // told by the admin surface
const dashboard = JSON.parse(read('grafana', 'loopscope.json'))
const shown = dashboard.panels.filter(({ type }) => type !== 'row')
const expressions = shown.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })))

/** As Grafana fills them in. */
function filledIn (expression) {
  return expression.replaceAll('$__rate_interval', '30s').replaceAll(/"\$(job|instance)"/g, '".*"')
}

async function serve (t) {
  const registry = new Registry()
  createMetrics({ registry, logger: createFakeLogger(), sources: createFakeSources() }).start()
  const server = createServer(async (request, response) => {
    response.setHeader('content-type', registry.contentType)
    response.end(`${await registry.metrics()}${STUCK} 0\n`)
  })
  return listen(t, server)
}

test('the dashboard asks for metrics that there are', () => {
  const known = [...DEFINITIONS.map(({ name }) => name), STUCK, 'ALERTS']
  for (const { title, expr } of expressions) {
    const names = expr.match(/\b(?:ALERTS|[a-z]\w*)(?=\{)/g).map(name => name.replace(/_(bucket|count|sum)$/, ''))
    assert.deepEqual(names.filter(name => !known.includes(name)), [], title)
  }
})

test('panels have room of their own, and say what they show', () => {
  const places = shown.map(({ gridPos: { x, y, w, h } }) => ({ x, y, right: x + w, bottom: y + h }))
  for (const [at, one] of places.entries()) {
    assert.ok(one.right <= 24, shown[at].title)
    const overlaps = places.filter((other, index) => index !== at && one.x < other.right && other.x < one.right && one.y < other.bottom && other.y < one.bottom)
    assert.deepEqual(overlaps, [], shown[at].title)
  }
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length)
})

test('Prometheus answers every panel with series, and evaluates the rules', { skip: prometheus.skip }, async t => {
  const port = await serve(t)
  const target = { job_name: 'shop', static_configs: [{ targets: [`127.0.0.1:${port}`] }] }
  const url = await prometheus.startPrometheus(t, target, [fileOf('prometheus', 'loopscope.rules.yml')])
  const isFilled = result => result.length > 0
  for (const { expr } of expressions.filter(({ expr }) => !expr.startsWith('ALERTS'))) await prometheus.query(url, filledIn(expr), isFilled)
  await prometheus.query(url, 'instance_cause:loopscope_stall_seconds:rate5m', result => result.length === 5)
  await prometheus.query(url, 'job:nodejs_eventloop_delay_seconds:p99_rate5m', isFilled)
  const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(filledIn(expressions.find(({ expr }) => expr.startsWith('ALERTS')).expr))}`)
  assert.equal((await response.json()).status, 'success')
})
