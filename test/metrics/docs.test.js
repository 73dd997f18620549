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
    const [name, type, labels, buckets, cluster, meaning] = row.split('|').slice(1, -1).map(cell => cell.replaceAll('`', '').trim())
    return { name, type, labels, buckets, cluster, meaning }
  })
}

test('docs/metrics.md lists the metrics of the code', () => {
  assert.deepEqual(
    readTable().map(({ name, type, labels, cluster, meaning }) => ({ name, type, labels, cluster, meaning })),
    DEFINITIONS.map(({ name, type, labelNames, aggregator, help }) => ({ name, type, labels: labelNames.join(' '), cluster: aggregator, meaning: help })))
})

test('docs/metrics.md gives the buckets of the instruments', () => {
  const { delay, requests } = createFakeSources()
  const bucketsOf = name => readTable().find(row => row.name === name).buckets
  assert.equal(bucketsOf('nodejs_eventloop_delay_seconds'), delay.read().bounds.join(' '))
  assert.equal(bucketsOf('http_server_request_duration_seconds'), requests.read().durations[0].reading.bounds.join(' '))
  for (const { type, buckets, name } of readTable()) assert.equal(buckets !== '', type === 'histogram', name)
})

test('every metric uses the labels it declares and no other', () => {
  const sources = createFakeSources()
  for (const { name, type, labelNames, collect } of DEFINITIONS) {
    for (const { labels = {} } of collect(sources)) assert.deepEqual(Object.keys(labels), labelNames, name)
    assert.equal(name.endsWith('_total'), type === 'counter', name)
  }
})
