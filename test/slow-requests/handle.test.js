'use strict'

// d.slowRequests(): what was noted up to the question, as the observer sees it.

const test = require('node:test')
const assert = require('node:assert/strict')
const http = require('node:http')
const diagnostics = require('../..')
const { listen } = require('../http/listening')

const SILENT = { info () {}, warn () {}, error () {}, debug () {} }

async function serve (t, d) {
  const server = http.createServer((request, response) => d(request, response, () => setTimeout(() => response.end(), 80)))
  const port = await listen(t, server)
  return async path => { await (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })).text() }
}

test('a handle is given the slow requests of this moment, and none while it does not run', async t => {
  assert.deepEqual(await diagnostics.createDiagnostics().slowRequests(), [])
  const d = diagnostics({ logger: SILENT, controlSocket: false })
  t.after(() => d.close())
  const ask = await serve(t, d)
  await ask('/orders/1')
  let found = []
  while (found.length === 0) found = await d.slowRequests() // the response is done a moment after the client has it
  const [{ route, status, durationMs, waitingMs, behindMs }] = found
  assert.deepEqual([found.length, route, status], [1, 'GET /orders/:id', 200])
  // On a busy machine other code may have the loop while it waits: that part is behind it.
  assert.ok(durationMs >= 70 && waitingMs + behindMs >= 50, JSON.stringify(found))
  await d.close()
  assert.deepEqual(await d.slowRequests(), [])
})

test('a handle without a middleware is given those of every server of the process', async t => {
  const d = diagnostics.createDiagnostics({ logger: SILENT, controlSocket: false }).start()
  t.after(() => d.close())
  const server = http.createServer((request, response) => setTimeout(() => response.end(), 80))
  const port = await listen(t, server)
  await (await fetch(`http://127.0.0.1:${port}/orders/1`, { headers: { connection: 'close' } })).text()
  let found = []
  while (found.length === 0) found = await d.slowRequests()
  assert.deepEqual(found.map(({ route, status }) => [route, status]), [['GET /orders/:id', 200]])
})

test('server-sent events are not slow, however long they go on', async t => {
  const d = diagnostics({ logger: SILENT, controlSocket: false })
  t.after(() => d.close())
  const server = http.createServer((request, response) => d(request, response, () => {
    if (request.url === '/set') response.setHeader('Content-Type', 'text/event-stream; charset=utf-8')
    else if (request.url === '/written') response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: 1\n\n')
    setTimeout(() => response.end(), 80)
  }))
  const port = await listen(t, server)
  for (const path of ['/set', '/written', '/plain']) await (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })).text()
  let found = []
  while (found.length === 0) found = await d.slowRequests()
  assert.deepEqual(found.map(({ route }) => route), ['GET /plain'])
})

test('without an observer there are none', async t => {
  const d = diagnostics({ logger: SILENT, controlSocket: false, observerFile: '/nowhere/at-all.js' })
  t.after(() => d.close())
  const ask = await serve(t, d)
  await ask('/orders/1')
  assert.deepEqual(await d.slowRequests(), [])
})
