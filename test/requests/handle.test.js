'use strict'

// d.requests() with real servers: what is listed, and what is loopscope's own.

const test = require('node:test')
const assert = require('node:assert/strict')
const http = require('node:http')
const http2 = require('node:http2')
const diagnostics = require('../..')
const { listen } = require('../http/listening')

const SILENT = { info () {}, warn () {}, error () {}, debug () {} }
const TOKEN = 'a-token-of-at-least-thirty-two-characters'

async function untilListed (d, count) {
  let answer
  do answer = await d.requests(); while (answer.total !== count)
  return answer.requests.map(({ route }) => route)
}

async function serve (t, server) {
  return `http://127.0.0.1:${await listen(t, server)}`
}

test('while it does not run there is no answer', async () => {
  await assert.rejects(diagnostics.createDiagnostics().requests(), { code: 'ERR_LOOPSCOPE_NOT_RUNNING' })
})

test('requests to the mounted endpoint are not requests of the application', async t => {
  const d = diagnostics({ logger: SILENT, controlSocket: false, token: TOKEN })
  t.after(() => d.close())
  let response
  const server = http.createServer((request, given) => d(request, given, () => { response = given }))
  const url = await serve(t, server)
  const waiting = fetch(`${url}/orders/1`)
  assert.deepEqual(await untilListed(d, 1), ['GET /orders/:id'])
  const headers = { authorization: `Bearer ${TOKEN}` }
  const live = await fetch(`${url}/diagnostics/live`, { headers })
  const answer = await (await fetch(`${url}/diagnostics/requests`, { headers })).json()
  assert.deepEqual([answer.total, answer.requests.map(({ route }) => route)], [1, ['GET /orders/:id']])
  await live.body.cancel()
  response.end()
  await (await waiting).text()
  assert.deepEqual(await untilListed(d, 0), [])
})

test('what a request waits for is named, and since when', async t => {
  const d = diagnostics({ logger: SILENT, controlSocket: false })
  t.after(() => d.close())
  const backend = http.createServer(() => {})
  const backendUrl = await serve(t, backend)
  const server = http.createServer((request, response) => d(request, response, () => fetch(backendUrl).catch(() => {})))
  const url = await serve(t, server)
  fetch(`${url}/orders/1`).catch(() => {})
  let found
  do found = (await d.requests()).requests.find(({ route, waits }) => route === 'GET /orders/:id' && waits.some(({ kind }) => kind === 'http')); while (found === undefined)
  const { state, waits, ageMs } = found
  const { ms, ...call } = waits.find(({ kind }) => kind === 'http')
  assert.deepEqual([state, call], ['waiting', { kind: 'http', operation: 'GET', target: new URL(backendUrl).host, calls: 1 }])
  assert.ok(ms >= 0 && ms <= ageMs + 1, JSON.stringify(found))
})

test('requests of HTTP/2 are listed until they are answered or given up, on every Node.js', async t => {
  const d = diagnostics({ logger: SILENT, controlSocket: false })
  t.after(() => d.close())
  const responses = []
  const server = http2.createServer((request, response) => d(request, response, () => responses.push(response)))
  const url = await serve(t, server)
  const client = http2.connect(url)
  t.after(() => client.destroy())
  const streams = ['/a', '/b'].map(path => client.request({ ':path': path }).on('error', () => {}).resume())
  assert.deepEqual(await untilListed(d, 2), ['GET /a', 'GET /b'])
  responses[0].end()
  assert.deepEqual(await untilListed(d, 1), ['GET /b'])
  streams[1].close()
  assert.deepEqual(await untilListed(d, 0), [])
})
