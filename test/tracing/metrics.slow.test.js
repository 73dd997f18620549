'use strict'

// loopscope's metrics beside those of OpenTelemetry's own instrumentation of the runtime, as its own exporter writes them.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { start } = require('../process/child')

const PACKAGES = path.join(__dirname, 'node_modules')
const skip = !fs.existsSync(PACKAGES) && 'OpenTelemetry\'s SDK is not installed: npm install --no-save --prefix test/tracing'

// What loopscope does not have, and what it has beside the instrumentation.
const THEIRS = ['v8js_resource_active']
const OURS = ['http_server_active_requests']

async function run (t, by) {
  const child = start(t, [path.resolve(__dirname, '../fixtures/process/meters.js'), by])
  const { stdout, stderr, code } = await child.ended
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout.trim().split('\n').at(-1))
}

/** Each metric with its unit, its type and the labels of its series, without those of the SDK. */
function describe (text) {
  const all = {}
  for (const line of text.split('\n')) {
    const [, what, name, value] = /^# (TYPE|UNIT) (\S+) (\S+)$/.exec(line) ?? []
    if (what !== undefined) (all[name] ??= { labels: new Set() })[what.toLowerCase()] = value
    const [, series, labels] = /^([a-z0-9_]+)\{(.*)\}/.exec(line) ?? []
    if (series === undefined) continue
    const metric = all[series.replace(/_(?:bucket|sum|count)$/, '')] ?? all[series]
    for (const [, label] of labels.matchAll(/(\w+)="/g)) if (!label.startsWith('otel_')) metric?.labels.add(label)
  }
  const named = Object.entries(all).filter(([name]) => /^(?:nodejs|v8js|http_server)_/.test(name))
  return Object.fromEntries(named.map(([name, { unit, type, labels }]) => [name, { unit, type, labels: [...labels].sort() }]).sort())
}

function without (metrics, names) {
  return Object.fromEntries(Object.entries(metrics).filter(([name]) => !names.includes(name)))
}

test('through the SDK they have the names, units, types and labels of OpenTelemetry\'s instrumentation', { skip }, async t => {
  const theirs = describe((await run(t, 'opentelemetry')).text)
  const { text, registry } = await run(t, 'loopscope')
  assert.ok(Object.keys(theirs).length >= 14)
  assert.deepEqual(without(describe(text), OURS), without(theirs, THEIRS))

  // In Prometheus the unit is part of the name, by OpenTelemetry's rules, which the exporter of its JavaScript SDK does not follow.
  const suffixes = { s: '_seconds', By: '_bytes', 1: '_ratio' }
  const inRegistry = describe(registry)
  for (const [name, { unit, type, labels }] of Object.entries(without(theirs, THEIRS))) {
    const isTotal = name.endsWith('_total')
    const mapped = `${isTotal ? name.slice(0, -'_total'.length) : name}${suffixes[unit]}${isTotal ? '_total' : ''}`
    assert.equal(inRegistry[mapped]?.type, type, mapped)
    assert.deepEqual(inRegistry[mapped].labels, labels, mapped)
  }
})
