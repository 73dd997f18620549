'use strict'

// Real servers take what the backends of egress make, and show it.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { BACKENDS } = require('../../lib/observer/egress/backends')
const { buildPprof } = require('../../lib/formats/pprof')
const { LABELS, SAMPLED, TRACE, item, namesIn } = require('../egress/items')
const { readRecorded, withRoutes } = require('../fixtures/profiles/profiles')
const { CPU, MEMORY, render, renderSpan, send } = require('./egress')
const { eventually, skipWithout, startOtelcol, startPyroscope } = require('./servers/servers')

const ODD_LABELS = { ...LABELS, 'k8s.pod': 'a,b}c{d=e é', '7d': ' x\ny ' }
const labelled = withRoutes(readRecorded().at(-1).profile, { login: 'POST /login' })

/** As they would be made now: servers refuse what is older than an hour. */
function itemsOfNow () {
  const times = { fromMs: Date.now() - 15_000, toMs: Date.now() }
  return [{ profile: labelled, trace: TRACE }, { kind: 'heap-profile', heapProfile: { ...SAMPLED, ...times } }]
    .map(more => item({ ...more, ...times, labels: ODD_LABELS }))
}

async function sendAll (to, url) {
  for (const one of itemsOfNow()) {
    const { status, text } = await send(BACKENDS[to](one, { to, url, everySeconds: 15, labels: {} }))
    assert.equal(status, 200, text)
  }
}

test('Pyroscope shows the functions of a profile and of allocations, by process, route and span', { skip: skipWithout('pyroscope') }, async t => {
  const server = await startPyroscope(t)
  await sendAll('pyroscope', server.url)
  const { samples } = namesIn(buildPprof(labelled))
  const nanos = samples.reduce((sum, { value }) => sum + value[1], 0)
  const shown = query => eventually(async () => {
    const found = await render(server.url, query)
    return found.total > 0 && found
  }, server)
  const cpu = await shown(`${CPU}{service_name="shop",pid="4711"}`)
  assert.equal(cpu.total, nanos)
  for (const name of ['login', 'parseReport', '(garbage collector)']) assert.ok(cpu.names.includes(name), name)
  const ofRoute = await shown(`${CPU}{http_route="POST /login",k8s_pod="a_b_c_d=e é"}`)
  assert.deepEqual([ofRoute.names.includes('login'), ofRoute.names.includes('parseReport')], [true, false])
  assert.deepEqual(await shown(`${MEMORY}{_7d="x_y"}`), { names: ['total', 'fillCache', 'keep'], total: 3_000_000 })
  assert.ok((await renderSpan(server.url, CPU, TRACE.spanId)).includes('login'))
})

test('an OpenTelemetry collector shows the functions of a profile and of allocations, and which process they are of', { skip: skipWithout('otelcol') }, async t => {
  const server = await startOtelcol(t)
  await sendAll('otlp', server.url)
  await eventually(() => server.output().split(/^ResourceProfiles #0$/m).length === 3, server)
  const output = server.output()
  const names = ['login', 'parseReport', '(garbage collector)', 'keep'].map(name => `    ${name}\n`) // of the string table
  for (const shown of [...names, 'service.name: Str(shop)', 'process.pid: Int(4711)', 'http.route: Str(/login)', 'Span ID: Str(b7ad6b7169203331)', 'Values: [3000000]']) {
    assert.ok(output.includes(shown), `${shown} in:\n${output}`)
  }
})
