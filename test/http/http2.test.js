'use strict'

// Requests of HTTP/2: their routes and the context of their work, from the stream to the last event of the body.

const { test } = require('node:test')
const assert = require('node:assert/strict')
const { channel } = require('node:diagnostics_channel')
const { once } = require('node:events')
const http2 = require('node:http2')
const fastify = require('fastify')
const { createRequestContexts } = require('../../lib/probe/http/contexts/request-contexts')
const { routeOf } = require('../../lib/probe/http/route-template')
const { createFastifyPlugin } = require('../../lib/probe/http/adapters/fastify')
const { createParts } = require('./served')

const ROUNDS = 4
const [MAJOR] = process.versions.node.split('.').map(Number)
const noChannel = MAJOR < 22 && 'this Node.js does not tell of streams'

/** @param {import('node:test').TestContext} t */
function createContexts (t) {
  const contexts = createRequestContexts()
  contexts.start()
  t.after(() => contexts.stop())
  return contexts.context
}

/** The route of what runs now. */
function routeIn (context) {
  const current = context.current()
  return current === undefined ? 'nobody' : routeOf(current.request)
}

async function connect (t, server) {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = http2.connect(`http://127.0.0.1:${server.address().port}`)
  t.after(() => { client.destroy(); server.close() })
  return client
}

/** With its body in three parts, on the one connection. */
async function post (client, path) {
  const stream = client.request({ ':method': 'POST', ':path': path, 'content-type': 'application/json' })
  for (const part of ['{"a":', '1,']) await new Promise(resolve => stream.write(part, () => setImmediate(resolve)))
  stream.end('"b":2}')
  let text = ''
  for await (const chunk of stream) text += chunk
  return text
}

/** All at once: everybody must find himself. */
async function assertOwn (client, routes) {
  const paths = Array.from({ length: ROUNDS }, () => Object.keys(routes)).flat()
  const texts = await Promise.all(paths.map(path => post(client, path)))
  assert.deepEqual(texts, paths.map(path => routes[path]))
}

/** Answers with the route that every event of the body was for. */
function tellRoute (context, request, response, { all = [routeIn(context)] } = {}) {
  request.on('data', () => all.push(routeIn(context)))
  request.on('end', async () => {
    all.push(routeIn(context))
    await new Promise(resolve => setImmediate(resolve))
    response.end([...new Set([...all, routeIn(context)])].join(' and '))
  })
}

test('a request is worked on in its context without a middleware, also its body', { skip: noChannel }, async t => {
  const context = createContexts(t)
  const client = await connect(t, http2.createServer((request, response) => tellRoute(context, request, response)))
  await assertOwn(client, { '/users/42?x=1': 'POST /users/:id', '/orders/7/items': 'POST /orders/:id/items' })
})

test('so is a stream that never becomes a request, and a pushed response belongs to the request that pushed it', { skip: noChannel }, async t => {
  const context = createContexts(t)
  const server = http2.createServer()
  server.on('stream', stream => {
    stream.pushStream({ ':path': '/pushed' }, (error, pushed) => {
      assert.equal(error, null)
      pushed.respond()
      pushed.end()
    })
    stream.respond()
    tellRoute(context, stream, stream)
  })
  const client = await connect(t, server)
  client.on('stream', pushed => pushed.resume())
  await assertOwn(client, { '/users/42': 'POST /users/:id' })
})

test('the middleware finds the body of a request on every Node.js, and counts the request', async t => {
  const { context, middleware, requests } = createParts()
  t.after(() => context.stop())
  const server = http2.createServer((request, response) => middleware(request, response, () => tellRoute(context, request, response)))
  await assertOwn(await connect(t, server), { '/users/42': 'POST /users/:id' })
  while (requests.read().durations.length === 0) await new Promise(resolve => setImmediate(resolve))
})

test('with both, the request that the middleware sees takes the place of what stood in for it', async t => {
  const context = createContexts(t)
  const { middleware, requests } = createParts({ context })
  const server = http2.createServer((request, response) => middleware(request, response, () => {
    assert.equal(context.current().request, request)
    tellRoute(context, request, response)
  }))
  await assertOwn(await connect(t, server), { '/users/42': 'POST /users/:id' })
  while (requests.read().durations.length === 0) await new Promise(resolve => setImmediate(resolve))
})

for (const [door, isPreloaded] of [['preloaded', true], ['with its plugin', false]]) {
  test(`Fastify on HTTP/2, ${door}: the template, also in its parsers of bodies`, { skip: isPreloaded && noChannel }, async t => {
    const context = isPreloaded ? createContexts(t) : createParts().context
    const { middleware } = createParts({ context })
    if (!isPreloaded) t.after(() => context.stop())
    const app = fastify({ http2: true })
    if (!isPreloaded) await app.register(createFastifyPlugin(middleware))
    app.addContentTypeParser('application/json', (request, body, done) => {
      const seen = []
      body.on('data', () => seen.push(routeIn(context))).on('end', () => done(null, [...seen, routeIn(context)]))
    })
    app.post('/users/:user', async ({ body }) => [...new Set([...body, routeIn(context)])].join(' and '))
    await app.listen({ port: 0, host: '127.0.0.1' })
    t.after(() => app.close())
    const client = await connect(t, app.server)
    await assertOwn(client, { '/users/42': 'POST /users/:user' })
    client.destroy()
  })
}

test('nothing listens any more when it was stopped', { skip: noChannel }, () => {
  const before = channel('http2.server.stream.start').hasSubscribers
  const contexts = createRequestContexts()
  contexts.start()
  contexts.stop()
  assert.equal(channel('http2.server.stream.start').hasSubscribers, before)
})
