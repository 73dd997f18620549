'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { AggregatorRegistry, Counter, Gauge, Histogram, Registry, Summary } = require('prom-client')
const { readMetrics } = require('../../lib/api/admin/metrics-reading')
const { exactParts, roundedSum } = require('../../lib/base/sums')
const { writeExposition } = require('../../lib/shared/group/exposition')
const { sumMetrics } = require('../../lib/observer/group/sum-metrics')

const metric = (values, { name = 'm', type = 'gauge', aggregator = 'sum', help = 'Help' } = {}) => ({
  name, help, type, aggregator, values: Object.entries(values).map(([at, value]) => ({ labels: at === '' ? {} : { at }, value }))
})
const summed = (...metrics) => Object.fromEntries(sumMetrics(metrics.map(one => [one]))[0].values.map(({ labels, value }) => [labels.at ?? '', value]))

test('each aggregator joins the processes in its way', () => {
  const joined = aggregator => summed(metric({ '': 1 }, { aggregator }), metric({ '': 2 }, { aggregator }), metric({ '': 6 }, { aggregator }))['']
  assert.deepEqual(['sum', 'average', 'min', 'max', 'first', undefined].map(joined), [9, 3, 1, 6, 1, 9])
  assert.deepEqual(sumMetrics([[metric({ '': 1 }, { aggregator: 'omit' })]]), [])
})

test('a series, or a metric, that is missing in one counts with those that have it', () => {
  assert.deepEqual(summed(metric({ a: 1, b: 2 }), metric({ b: 3, c: 4 })), { a: 1, b: 5, c: 4 })
  assert.deepEqual(summed(metric({ a: 1, b: 2 }, { aggregator: 'average' }), metric({ b: 3 }, { aggregator: 'average' })), { a: 1, b: 2.5 })
  assert.deepEqual(sumMetrics([[], [metric({ a: 1 })], []]).map(({ name }) => name), ['m'])
})

test('labels are the same in any order, and what is not a number is no reason to have none', () => {
  const series = labels => ({ name: 'm', help: '', type: 'counter', aggregator: 'sum', values: [{ labels, value: 1 }] })
  assert.equal(sumMetrics([[series({ a: '1', b: '2' })], [series({ b: '2', a: '1' })]])[0].values[0].value, 2)
  assert.deepEqual(summed(metric({ '': 'NaN' }), metric({ '': 2 })), { '': 2 })
  assert.deepEqual(summed(metric({ '': 'NaN' })), { '': NaN })
  assert.deepEqual(summed(metric({ '': 'Infinity' }), metric({ '': 2 })), { '': Infinity })
})

test('a sum is the same in any order, and after some of it was added up before', () => {
  const numbers = [0.1, 0.2, 0.3, 1e16, 0.7, -1e16, 123.456, 1e-9]
  const orders = numbers.map((_, at) => [...numbers.slice(at), ...numbers.slice(0, at)])
  const before = orders.map(order => [...exactParts(order.slice(0, 4)), ...order.slice(4)])
  assert.deepEqual([...new Set([...orders, ...before].map(order => roundedSum(exactParts(order))))], [124.756000001])
  assert.equal(roundedSum(exactParts([])), 0)
  assert.equal(roundedSum(exactParts([1, 2 ** -53, 2 ** -106])), 1 + 2 ** -52) // half of the last digit, and a little more
})

const histogram = counts => ({
  name: 'h',
  help: 'Help',
  type: 'histogram',
  aggregator: 'sum',
  values: [
    ...Object.entries(counts).map(([le, value]) => ({ metricName: 'h_bucket', labels: { le: le === '+Inf' ? le : Number(le) }, value })),
    { metricName: 'h_sum', labels: {}, value: 1.5 },
    { metricName: 'h_count', labels: {}, value: counts['+Inf'] }
  ]
})

test('histograms with other buckets grow from bucket to bucket all the same', () => {
  const [{ values }] = sumMetrics([[histogram({ 1: 1, 5: 4, '+Inf': 6 })], [histogram({ 2: 10, 5: 20, '+Inf': 30 })]])
  assert.deepEqual(values.map(({ metricName, labels: { le }, value }) => [metricName, le, value]), [
    ['h_bucket', 1, 1], ['h_bucket', 2, 11], ['h_bucket', 5, 24], ['h_bucket', '+Inf', 36], ['h_sum', undefined, 3], ['h_count', undefined, 36]
  ])
})

async function makeRegistry (contentType = Registry.PROMETHEUS_CONTENT_TYPE) {
  const registry = new Registry(contentType)
  const registers = [registry]
  new Counter({ name: 'c_total', help: 'Counts "\\" and\nlines', labelNames: ['route'], registers }).inc({ route: '/"a"\n\\' }, 2)
  new Gauge({ name: 'g', help: 'Gauge', registers, aggregator: 'max' }).set(-Infinity)
  new Histogram({ name: 'h', help: 'Histogram', labelNames: ['a'], registers, buckets: [0.5, 1] }).observe({ a: 'x' }, 0.7)
  new Summary({ name: 's', help: 'Summary', percentiles: [], registers }).observe(2)
  return registry
}

for (const contentType of [Registry.PROMETHEUS_CONTENT_TYPE, Registry.OPENMETRICS_CONTENT_TYPE]) {
  test(`what is written of one process is what its registry writes: ${contentType}`, async () => {
    const registry = await makeRegistry(contentType)
    const text = await registry.metrics()
    const { metrics } = JSON.parse(JSON.stringify(await readMetrics(registry)))
    assert.equal(writeExposition(sumMetrics([metrics]), contentType), text)
  })
}

test('two processes add up to what prom-client makes of them', async () => {
  const registries = [await makeRegistry(), await makeRegistry()]
  const wanted = await AggregatorRegistry.aggregate(await Promise.all(registries.map(registry => registry.getMetricsAsJSON()))).metrics()
  const read = await Promise.all(registries.map(readMetrics))
  assert.equal(writeExposition(sumMetrics(read.map(({ metrics }) => metrics)), Registry.PROMETHEUS_CONTENT_TYPE), wanted)
})
