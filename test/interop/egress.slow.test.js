'use strict'

// An application with option egress, and the servers that it sends to: what people see there, also of one that was killed in the middle of
// a stall.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { run } = require('../admin/running')
const { TRACE } = require('../egress/items')
const { CPU, MEMORY, render, renderSpan } = require('./egress')
const { eventually, skipWithout, startOtelcol, startPyroscope } = require('./servers/servers')

const SERVERS = [
  {
    to: 'pyroscope',
    binary: 'pyroscope',
    start: startPyroscope,
    shows: async ({ url }, name, isStuck) => {
      const { names } = await render(url, `${CPU}{team="checkout",unfinished_stall=~"${isStuck ? '.+' : ''}"}`)
      return names.includes(name)
    },
    showsHeap: async ({ url }, name) => (await render(url, `${MEMORY}{team="checkout"}`)).names.includes(name),
    showsSpan: async ({ url }, name) => (await renderSpan(url, CPU, TRACE.spanId)).includes(name)
  },
  {
    to: 'otlp',
    binary: 'otelcol',
    start: startOtelcol,
    // A dictionary comes before what it is of; attributes of a profile are in it only.
    shows: ({ output }, name, isStuck) => output().split('Resource attributes:').some((text, at, all) => {
      const has = string => all[at - 1].includes(`    ${string}\n`)
      return text.includes('-> team: Str(checkout)') && has(name) && has('loopscope.unfinished_stall') === isStuck
    }),
    showsHeap: ({ output }, name) => output().split('Resource attributes:').some(text => ['inuse_space', name].every(string => text.includes(`    ${string}\n`))),
    showsSpan: ({ output }) => output().includes(`Span ID: Str(${TRACE.spanId})`)
  }
]

// At once, and once.
const RULES = [{ when: { rssBytes: 1 }, do: [{ capture: 'heap-profile', seconds: 2 }, { push: true }] }]

for (const { to, binary, start, shows, showsHeap, showsSpan } of SERVERS) {
  test(`${to} shows what an application does, what a rule has captured, and why it was stuck when it was killed`, { skip: skipWithout(binary) }, async t => {
    const server = await start(t)
    const egress = { to, url: server.url, everySeconds: 1, labels: { team: 'checkout' } }
    const app = await run(t, { env: { LOOPSCOPE_EGRESS: JSON.stringify(egress), LOOPSCOPE_RULES: JSON.stringify(RULES) } })
    await eventually(async () => {
      await fetch(`${app.url}/auth`)
      await fetch(`${app.url}/hold?count=2000`)
      return await shows(server, 'pbkdf2Sync', false) && showsHeap(server, 'holdOrders')
    }, server)

    const headers = { traceparent: `00-${TRACE.traceId}-${TRACE.spanId}-01` }
    const answer = fetch(`${app.url}/spin?until=never`, { headers }).catch(() => 'killed')
    await eventually(() => shows(server, 'spin', true), server)
    assert.ok(await showsSpan(server, 'spin'))
    process.kill(app.pid, 'SIGKILL')
    assert.equal(await answer, 'killed') // it was stuck still
  })
}
