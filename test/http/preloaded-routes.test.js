'use strict'

// What is known of a request when the application does not help: no middleware, no plugin.

const { test, beforeEach } = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const WebSocket = require('ws')
const Koa = require('koa')
const Router = require('@koa/router')
const fastify = require('fastify')
const { createRequestContexts } = require('../../lib/probe/http/contexts/request-contexts')
const { forgetMasked } = require('../../lib/probe/http/mask-path')
const { routeOf, templateOf } = require('../../lib/probe/http/route-template')
const { serve } = require('./served')
const { listen } = require('./listening')

beforeEach(forgetMasked)

/** @param {import('node:test').TestContext} t */
function observe (t) {
  const contexts = createRequestContexts()
  contexts.start()
  t.after(() => contexts.stop())
  const seen = () => {
    const request = contexts.context.current()?.request
    return request === undefined ? null : routeOf(request)
  }
  return { contexts, seen }
}

const post = (url, body, type = 'text/plain') => fetch(url, { method: 'POST', body, headers: { 'content-type': type } }).then(response => response.text())

/** @param {import('node:test').TestContext} t */
async function serveFastify (t, app, seen) {
  const parsed = []
  app.addContentTypeParser('text/slow', { parseAs: 'string' }, (request, body, done) => { parsed.push(seen()); done(null, body) })
  app.register(async scope => { scope.post('/users/:id', async () => seen()) }, { prefix: '/v1' })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  t.after(() => app.close())
  return { url, parsed }
}

test('Fastify: the template, already while the body is parsed; none where no route answers', async t => {
  const { seen } = observe(t)
  const app = fastify()
  app.setNotFoundHandler(async () => seen())
  const { url, parsed } = await serveFastify(t, app, seen)
  assert.equal(await post(`${url}/v1/users/42`, 'x', 'text/slow'), 'POST /v1/users/:id')
  assert.deepEqual(parsed, ['POST /v1/users/:id'])
  assert.equal(await post(`${url}/nothing/here`, 'x'), 'POST _unmatched')
})

test('Fastify: an instance that was created before loopscope has its templates in its handlers', async t => {
  const app = fastify()
  const { seen } = observe(t)
  const { url } = await serveFastify(t, app, seen)
  assert.equal(await post(`${url}/v1/users/42`, 'x', 'text/slow'), 'POST /v1/users/:id')
})

test('Koa: the template of the router, the masked path without one, and its prototype as it was afterwards', async t => {
  const { createContext } = Koa.prototype
  const { contexts, seen } = observe(t)
  const app = new Koa()
  const router = new (Router.default ?? Router)({ prefix: '/v1' })
  router.get('/users/:name', context => { context.body = { toJSON: () => seen() } })
  app.use(router.routes())
  app.use(context => { context.body = { toJSON: () => seen() } })
  const { get } = await serve(t, app.callback())
  assert.equal((await get('/v1/users/jo')).text, '"GET /v1/users/:name"')
  assert.equal((await get('/other/42')).text, '"GET /other/:id"')
  contexts.stop()
  assert.equal(Koa.prototype.createContext, createContext)
})

test('node:http: the path without its values, in bounded number', async t => {
  const { seen } = observe(t)
  const { get } = await serve(t, (request, response) => response.end(seen()))
  assert.equal((await get('/users/42/orders?secret=1')).text, 'GET /users/:id/orders')
  assert.equal((await get(`/a${'/b'.repeat(7)}`)).text, `GET /a${'/b'.repeat(7)}`)
  assert.equal((await get(`/a${'/b'.repeat(8)}`)).text, `GET /a${'/b'.repeat(7)}/*`)
  const word = number => String.fromCharCode(97 + number / 26, 97 + number % 26)
  const texts = await Promise.all(Array.from({ length: 100 }, async (_, number) => (await get(`/${word(number)}`)).text))
  assert.equal(texts.filter(text => text === 'GET _unmatched').length, 53)
  assert.equal((await get('/users/7/orders')).text, 'GET /users/:id/orders')
})

test('Next.js: what it noted on the request', () => {
  const match = { definition: { pathname: '/api/stall/[id]' } }
  assert.equal(routeOf({ method: 'GET', url: '/api/stall/7', [Symbol.for('NextInternalRequestMeta')]: { match } }), 'GET /api/stall/[id]')
})

for (const [name, path] of [['express', '/{*splat}'], ['express4', '*'], ['express', /.*/]]) {
  test(`${name}: behind a route for every path (${path}) another framework has the routes, and the path is shown with its values replaced`, async t => {
    const { seen } = observe(t)
    const app = require(name)()
    const router = require(name).Router()
    app.use('/shop', router)
    for (const each of [router, app]) each.all(path, (request, response) => response.send(seen()))
    const { get } = await serve(t, app)
    assert.equal((await get('/teams/7')).text, 'GET /teams/:id')
    assert.equal((await get('/shop/teams/7')).text, 'GET /shop/teams/:id')
  })
}

test('Next.js behind Express: a route of Express that answers one path has the name, and what takes every path has none', () => {
  const noted = { method: 'GET', url: '/post/7', [Symbol.for('NextInternalRequestMeta')]: { match: { definition: { pathname: '/post/[id]' } } } }
  for (const path of ['*', '/{*rest}', '/p(.*)', /.*/]) assert.equal(routeOf({ ...noted, route: { path } }), 'GET /post/[id]')
  assert.equal(routeOf(noted), 'GET /post/[id]')
  assert.equal(routeOf({ ...noted, route: { path: '/post/:id' } }), 'GET /post/:id')
})

test('a WebSocket: messages belong to the request that it began with, and the server has its own listeners only afterwards', async t => {
  const { contexts, seen } = observe(t)
  const server = http.createServer()
  const port = await listen(t, server)
  const sockets = new WebSocket.Server({ server, path: '/live/77' })
  sockets.on('connection', socket => socket.on('message', () => socket.send(seen())))
  t.after(() => sockets.close())
  const answers = []
  for (let round = 0; round < 2; round++) {
    const client = new WebSocket(`ws://127.0.0.1:${port}/live/77`)
    await once(client, 'open')
    for (const text of ['a', 'b'.repeat(100_000)]) {
      client.send(text)
      answers.push(String((await once(client, 'message'))[0]))
    }
    client.terminate()
  }
  assert.deepEqual(answers, Array(4).fill('GET /live/:id'))
  assert.equal(server.listenerCount('upgrade'), 2)
  contexts.stop()
  assert.equal(server.listenerCount('upgrade'), 1)
  contexts.start()
})

test('a server that takes no upgrades any more answers them as Node.js does', async t => {
  observe(t)
  const server = http.createServer((request, response) => response.end('plain'))
  const port = await listen(t, server)
  const ask = () => new Promise((resolve, reject) => {
    const headers = { connection: 'upgrade', upgrade: 'x' }
    const request = http.get({ port, host: '127.0.0.1', headers, agent: false }, response => {
      response.on('data', chunk => resolve(String(chunk)))
    })
    request.on('error', reject).on('upgrade', (response, socket) => { socket.destroy(); resolve('upgraded') })
  })
  const listener = (request, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
  assert.equal(await ask(), 'plain')
  server.on('upgrade', listener)
  assert.equal(await ask(), 'upgraded')
  server.removeListener('upgrade', listener)
  assert.equal(server.listenerCount('upgrade'), 0)
  assert.equal(await ask(), 'plain')
})

test('GraphQL: the operation by its name, from a parsed body, and nothing that only looks like one', () => {
  const route = (query, operationName) => templateOf({ method: 'POST', url: '/graphql', body: { query, operationName } })
  assert.equal(route('query Orders($n: Int) { orders(n: $n) { id } }'), '/graphql query Orders')
  assert.equal(route('query A { a } mutation B { b }', 'B'), '/graphql mutation B')
  assert.equal(route('{ orders { id } }'), '/graphql')
  assert.equal(route('query plans for jo@example.org'), '/graphql')
  assert.equal(route(7), '/graphql')
  assert.equal(route('query A { a }', 'jo@example.org'), '/graphql query A')
  const names = new Set(Array.from({ length: 200 }, (_, number) => route(`query Q${number} { a }`)))
  assert.ok(names.size <= 51)
  assert.ok(names.has('/graphql'))
})
