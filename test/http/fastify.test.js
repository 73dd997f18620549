'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fastify = require('fastify')
const diagnostics = require('../..')
const { makeScratch } = require('../store/scratch')

const TOKEN = 'a-token-of-at-least-thirty-two-characters'
const QUIET = { info () {}, warn () {}, error () {} }

async function serve (t) {
  const d = diagnostics({ token: TOKEN, recorder: false, signals: false, controlSocket: false, logger: QUIET, dir: makeScratch(t) })
  const app = fastify()
  await app.register(d.fastify)
  app.get('/users/:id', async () => 'a user')
  app.register(async scope => { scope.post('/deep/:name', async request => request.body) }, { prefix: '/v1' })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(async () => {
    await app.close()
    await d.close()
  })
  return { d, url }
}

async function routesOf (d) {
  const metric = await d.registry.getSingleMetric('http_server_request_duration_seconds').get()
  return [...new Set(metric.values.map(({ labels }) => labels.http_route))].sort()
}

test('requests are measured by the template of Fastify, also in a nested scope', async t => {
  const { d, url } = await serve(t)
  assert.equal(await (await fetch(`${url}/users/42`)).text(), 'a user')
  const echo = await fetch(`${url}/v1/deep/secret`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' })
  assert.deepEqual(await echo.json(), { a: 1 })
  assert.equal((await fetch(`${url}/nothing/here`)).status, 404)
  assert.deepEqual(await routesOf(d), ['/users/:id', '/v1/deep/:name', '_unmatched'])
})

test('the admin surface is mounted, and only there', async t => {
  const { url } = await serve(t)
  const headers = { authorization: `Bearer ${TOKEN}` }
  assert.deepEqual((await (await fetch(`${url}/diagnostics/stalls`, { headers })).json()).stalls, [])
  assert.equal((await fetch(`${url}/diagnostics/stalls`)).status, 401)
  const started = await fetch(`${url}/diagnostics/captures`, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{"kind":"unheard"}' })
  assert.deepEqual([started.status, (await started.json()).code], [400, 'ERR_LOOPSCOPE_UNKNOWN_KIND'])
  assert.equal((await fetch(`${url}/diagnosticss`)).headers.get('x-content-type-options'), null)
})
