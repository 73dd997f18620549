'use strict'

const { test } = require('node:test')
const assert = require('node:assert/strict')
const http2 = require('node:http2')
const net = require('node:net')
const { once } = require('node:events')
const { frameworks, createParts, serve, counted, labels } = require('./served')
const { listen } = require('./listening')

for (const [name, express] of Object.entries(frameworks)) {
  test(`${name}: answers, errors and misses are counted with their route`, async t => {
    const { context, requests, middleware } = createParts()
    const app = express()
    app.use(middleware)
    app.get('/ok/:id', (request, response) => response.end('x'))
    app.get('/passed/:id', (request, response, next) => next(Object.assign(new Error('no'), { expose: false })))
    app.get('/thrown/:id', () => { throw new Error('no') })
    app.use((error, request, response, next) => { response.statusCode = error ? 500 : 200; response.end('handled') })
    const { get } = await serve(t, app, { context })
    for (const path of ['/ok/1', '/ok/2', '/passed/1', '/thrown/1', '/none/1']) await get(path)
    await get('/ok/3', { method: 'HEAD' })
    assert.deepEqual(await counted(requests, 6), ['GET /ok/:id 200 2', 'GET /passed/:id 500 1', 'GET /thrown/:id 500 1', 'GET _unmatched 404 1', 'HEAD /ok/:id 200 1'])
  })

  test(`${name}: what a framework below it answers has its path, values taken out; files and what is refused have no route`, async t => {
    const { context, requests, middleware } = createParts()
    const app = express()
    app.use(middleware)
    app.use((request, response, next) => request.url.startsWith('/messages') ? next() : response.status(403).end())
    app.use((request, response, next) => request.url === '/messages/broken' ? next(new Error('no')) : next())
    app.use((request, response) => {
      if (request.url.endsWith('.css')) response.setHeader('Last-Modified', new Date(0).toUTCString())
      response.end('x')
    })
    app.use((error, request, response, next) => { response.statusCode = error ? 500 : 200; response.end('handled') })
    const { get } = await serve(t, app, { context })
    for (const path of ['/messages/1', '/messages/2', '/messages/broken', '/messages/a.css', '/secret']) await get(path)
    assert.deepEqual(await counted(requests, 5), ['GET /messages/:id 200 2', 'GET /messages/broken 500 1', 'GET _unmatched 200 1', 'GET _unmatched 403 1'])
  })

  test(`${name}: mounted twice and in a sub-application, it counts once`, async t => {
    const { context, requests, middleware } = createParts()
    const app = express()
    const sub = express()
    app.use(middleware)
    app.use(express.json())
    app.use(middleware)
    sub.use(middleware)
    sub.post('/x', (request, response) => response.end(String(context.current().request === request)))
    app.use('/sub', sub)
    const { get } = await serve(t, app, { context })
    const options = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }
    assert.equal((await get('/sub/x', options)).text, 'true')
    assert.deepEqual(await counted(requests, 1), ['POST /sub/x 200 1'])
    assert.deepEqual(requests.read().active, [{ method: 'POST', scheme: 'http', count: 0 }])
  })
}

test('two handles each count a request once, in one context', async t => {
  const first = createParts()
  const second = createParts()
  t.after(() => second.context.stop())
  const app = frameworks['express 5']()
  app.use(first.middleware, second.middleware, first.middleware, second.middleware)
  app.get('/', (request, response) => response.end(String(first.context.current() === second.context.current())))
  const { get } = await serve(t, app, first)
  assert.equal((await get('/')).text, 'true')
  assert.deepEqual(await counted(first.requests, 1), ['GET / 200 1'])
  assert.deepEqual(await counted(second.requests, 1), ['GET / 200 1'])
})

test('a client that leaves before the response is complete is counted as 499', async t => {
  const { context, requests, middleware } = createParts()
  const app = frameworks['express 5']()
  app.use(middleware)
  app.get('/slow/:id', (request, response) => { response.write('part') })
  const { port } = await serve(t, app, { context })
  const socket = net.connect(port, '127.0.0.1')
  socket.write('GET /slow/1 HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'data')
  assert.deepEqual(requests.read().active, [{ method: 'GET', scheme: 'http', count: 1 }])
  socket.destroy()
  assert.deepEqual(await counted(requests, 1), ['GET /slow/:id 499 1'])
  assert.deepEqual(requests.read().active, [{ method: 'GET', scheme: 'http', count: 0 }])
})

test('requests on one connection, one after the other and pipelined, keep their own routes', async t => {
  const { context, requests, middleware } = createParts()
  const app = frameworks['express 5']()
  app.use(middleware)
  app.get('/:kind', (request, response) => setImmediate(() => response.end(String(context.current().request === request))))
  app.get('/:kind/:id', (request, response) => response.end(String(context.current().request === request)))
  const { port } = await serve(t, app, { context })
  const socket = net.connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('utf8').on('data', chunk => { received += chunk })
  const ask = path => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
  socket.write(ask('/a') + ask('/a/1') + ask('/b'))
  await counted(requests, 3)
  socket.write(ask('/b/2'))
  assert.deepEqual(await counted(requests, 4), ['GET /:kind 200 2', 'GET /:kind/:id 200 2'])
  while (received.match(/true/g)?.length !== 4) await once(socket, 'data')
  socket.destroy()
})

test('a plain http server and HTTP/2 are counted by their paths, values taken out, unless there was nothing', async t => {
  const { context, requests, middleware } = createParts()
  const listener = (request, response) => middleware(request, response, () => {
    response.statusCode = request.url === '/none' ? 404 : 200
    if (request.url !== '/hang') response.end('x')
  })
  const { get } = await serve(t, listener, { context })
  for (const path of ['/x/42?y=1', '/none']) await get(path)
  assert.deepEqual(await counted(requests, 2), ['GET /x/:id 200 1', 'GET _unmatched 404 1'])

  const client = http2.connect(`http://127.0.0.1:${await listen(t, http2.createServer(listener))}`)
  t.after(() => client.destroy())
  client.request({ ':path': '/x/43' }).resume()
  await counted(requests, 3)
  const hanging = client.request({ ':path': '/hang' }).on('error', () => {})
  while (requests.read().active[0].count === 0) await new Promise(resolve => setImmediate(resolve))
  hanging.close(http2.constants.NGHTTP2_CANCEL)
  assert.deepEqual(await counted(requests, 4), ['GET /hang 499 1', 'GET /x/:id 200 2', 'GET _unmatched 404 1'])
})

test('while the context is stopped, requests pass by unmeasured', async t => {
  const { context, requests, middleware } = createParts()
  context.stop()
  const { get } = await serve(t, (request, response) => middleware(request, response, () => response.end('x')))
  assert.equal((await get('/')).text, 'x')
  context.start()
  t.after(() => context.stop())
  await get('/')
  assert.deepEqual(await counted(requests, 1), ['GET / 200 1'])
  assert.equal(labels(requests).length, 1)
})
