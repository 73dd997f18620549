'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { readFileSync } = require('node:fs')
const { join } = require('node:path')
const { DEFINITIONS } = require('../../lib/api/metrics/definitions')
const { createFakeSources } = require('./fake-sources')

const DOCS = join(__dirname, '../../docs/metrics.md')

/** Rows of the table: cells between bars, code marks taken off. */
function readTable () {
  const rows = readFileSync(DOCS, 'utf8').split('\n').filter(line => line.startsWith('| `'))
  return rows.map(row => {
    const [name, convention, type, labels, buckets, cluster, meaning] = row.split('|').slice(1, -1).map(cell => cell.replaceAll('`', '').trim())
    return { name, convention, type, labels, buckets, cluster, meaning }
  })
}

test('docs/metrics.md lists the metrics of the code', () => {
  assert.deepEqual(
    readTable().map(({ name, convention, type, labels, cluster, meaning }) => ({ name, convention, type, labels, cluster, meaning })),
    DEFINITIONS.map(({ name, convention, type, labelNames, aggregator, help }) => ({ name, convention: convention?.name ?? '', type, labels: labelNames.join(' '), cluster: aggregator, meaning: help })))
})

test('docs/metrics.md gives the buckets of the instruments', () => {
  const { delay, requests } = createFakeSources()
  const bucketsOf = name => readTable().find(row => row.name === name).buckets
  assert.equal(bucketsOf('nodejs_eventloop_delay_seconds'), delay.read().bounds.join(' '))
  assert.equal(bucketsOf('http_server_request_duration_seconds'), requests.read().durations[0].reading.bounds.join(' '))
  for (const { type, buckets, name } of readTable()) assert.equal(buckets !== '', type === 'histogram', name)
})

/** The rules of OpenTelemetry for Prometheus: units in words, `_ratio` for a gauge of 1, `_total` for a counter. */
function prometheusName ({ name, unit, instrument }) {
  const suffix = { s: '_seconds', By: '_bytes', 1: '_ratio' }[unit] ?? ''
  return `${name.replaceAll('.', '_')}${suffix}${instrument === 'counter' ? '_total' : ''}`
}

test('what OpenTelemetry defines has its name, its type and its labels; all else has loopscope\'s prefix', () => {
  const types = { counter: 'counter', gauge: 'gauge', 'up-down-counter': 'gauge', histogram: 'histogram' }
  for (const { name, type, labelNames, convention } of DEFINITIONS) {
    if (convention === undefined) {
      assert.match(name, /^loopscope_|^nodejs_eventloop_delay_seconds$/)
      continue
    }
    assert.equal(name, prometheusName(convention))
    assert.equal(type, types[convention.instrument], name)
    assert.deepEqual(labelNames, (convention.attributes ?? []).map(attribute => attribute.replaceAll('.', '_')), name)
  }
})

test('every metric uses the labels it declares and no other', () => {
  const sources = createFakeSources()
  for (const { name, type, labelNames, collect } of DEFINITIONS) {
    for (const { labels = {} } of collect(sources)) assert.deepEqual(Object.keys(labels), labelNames, name)
    assert.equal(name.endsWith('_total'), type === 'counter', name)
  }
})
