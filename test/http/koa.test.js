'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const http = require('node:http')
const Koa = require('koa')
const Router = require('@koa/router')
const diagnostics = require('../..')
const { makeScratch } = require('../store/scratch')
const { listen } = require('./listening')

const TOKEN = 'a-token-of-at-least-thirty-two-characters'
const QUIET = { info () {}, warn () {}, error () {} }

async function serve (t) {
  const d = diagnostics({ token: TOKEN, recorder: false, signals: false, controlSocket: false, logger: QUIET, dir: makeScratch(t) })
  const app = new Koa()
  const router = new (Router.default ?? Router)()
  app.use(d.koa)
  app.silent = true
  router.get('/users/:id', context => { context.body = 'a user' })
  router.get('/broken', () => { throw new Error('broken') })
  app.use(router.routes())
  const port = await listen(t, http.createServer(app.callback()))
  t.after(() => d.close())
  return { d, url: `http://127.0.0.1:${port}` }
}

test('requests are measured by the template of the router, and errors stay the application\'s', async t => {
  const { d, url } = await serve(t)
  assert.equal(await (await fetch(`${url}/users/42`)).text(), 'a user')
  assert.equal((await fetch(`${url}/broken`)).status, 500)
  assert.equal((await fetch(`${url}/nothing/here`)).status, 404)
  const metric = await d.registry.getSingleMetric('http_server_request_duration_seconds').get()
  assert.deepEqual([...new Set(metric.values.map(({ labels }) => labels.http_route))].sort(), ['/broken', '/users/:id', '_unmatched'])
})

test('the admin surface is mounted, and only there', async t => {
  const { url } = await serve(t)
  const { stalls } = await (await fetch(`${url}/diagnostics/stalls`, { headers: { authorization: `Bearer ${TOKEN}` } })).json()
  assert.deepEqual(stalls, [])
  assert.equal((await fetch(`${url}/diagnostics/stalls`)).status, 401)
  assert.equal(await (await fetch(`${url}/diagnosticss`)).text(), 'Not Found')
})
