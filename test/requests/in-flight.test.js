'use strict'

// The list of requests under way: what is in it, until when, and what is read of it.

const test = require('node:test')
const assert = require('node:assert/strict')
const { EventEmitter, once } = require('node:events')
const http = require('node:http')
const http2 = require('node:http2')
const net = require('node:net')
const { setTimeout: sleep } = require('node:timers/promises')
const { setFlagsFromString } = require('node:v8')
const { runInNewContext } = require('node:vm')
const { createRequestContext } = require('../../lib/probe/http/contexts/one-request')
const { createRequestContexts } = require('../../lib/probe/http/contexts/request-contexts')
const { frameworks, serve } = require('../http/served')
const { listen } = require('../http/listening')

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

const [MAJOR] = process.versions.node.split('.').map(Number)
const calls = { openOf: () => [] }

/** @param {import('node:test').TestContext} t */
function createSubject (t) {
  const contexts = createRequestContexts()
  contexts.start()
  t.after(() => contexts.stop())
  const { inFlight } = contexts
  const read = (parts = {}) => inFlight.read({ calls, current: undefined, ...parts })
  const until = async (isMet, wait = () => sleep(5)) => { while (!isMet(read())) await wait() }
  return { contexts, inFlight, read, until, routes: () => read().requests.map(({ route, method }) => route ?? method) }
}

/** Sends a request over a connection of its own. */
function send (t, port, path, more = '') {
  const socket = net.connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.resume()
  t.after(() => socket.destroy())
  socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n${more}\r\n`)
  return socket
}

test('a request whose response throws where it is read ends all the same', async t => {
  const { until } = createSubject(t)
  const { port } = await serve(t, (request, response) => {
    if (request.url === '/well') return response.end()
    Object.defineProperty(response, request.url.slice(1), { get () { throw new Error('read') } })
    request.socket.destroy()
  })
  // It is listed on as one that is never answered, until its response is collected.
  const isOver = ({ requests }) => requests.every(({ goneMicros }) => goneMicros > 0)
  for (const path of ['/statusCode', '/writableEnded', '/well']) {
    await once(send(t, port, path, 'connection: close\r\n'), 'close')
    await until(isOver)
  }
})

test('requests are listed oldest first until they are answered, also on one connection', async t => {
  const { routes, read, until } = createSubject(t)
  const responses = new Map()
  const { port } = await serve(t, (request, response) => { responses.set(request.url, response) })
  send(t, port, '/a')
  await until(({ total }) => total === 1)
  const kept = send(t, port, '/b')
  await until(({ total }) => total === 2)
  assert.deepEqual(routes(), ['GET /a', 'GET /b'])
  responses.get('/b').write('x')
  assert.deepEqual(read().requests.map(({ isSending, goneMicros, traceId }) => [isSending, goneMicros, traceId]), [[false, null, null], [true, null, null]])
  responses.get('/b').end()
  await until(({ total }) => total === 1)
  kept.write('GET /c HTTP/1.1\r\nhost: a\r\n\r\n')
  await until(({ total }) => total === 2)
  assert.deepEqual(routes(), ['GET /a', 'GET /c'])
  responses.get('/a').end()
  responses.get('/c').end()
  await until(({ total }) => total === 0)
})

test('a request whose body the client has not sent yet, until it is there, or is there to be read', async t => {
  const { read, until } = createSubject(t)
  const received = new Map()
  const { port } = await serve(t, (request, response) => { received.set(request.url, { request, response }) })
  const isReceiving = () => Object.fromEntries(read().requests.map(({ route, isReceiving }) => [route, isReceiving]))
  send(t, port, '/without')
  const socket = send(t, port, '/body', 'content-length: 4\r\n')
  await until(({ total }) => total === 2)
  assert.deepEqual(isReceiving(), { 'GET /without': false, 'GET /body': true })
  const { request } = received.get('/body')
  socket.write('ab')
  await until(() => request.readableLength === 2)
  assert.deepEqual(isReceiving(), { 'GET /without': false, 'GET /body': false }, 'the application has not read what is there')
  request.resume()
  await until(() => request.readableLength === 0)
  assert.equal(isReceiving()['GET /body'], true)
  socket.write('cd')
  await until(() => request.complete)
  assert.equal(isReceiving()['GET /body'], false)
  for (const { response } of received.values()) response.end()
  await until(({ total }) => total === 0)
})

test('the route is not known until the router has found it', async t => {
  const { routes, until } = createSubject(t)
  const app = frameworks['express 5']()
  const gate = new EventEmitter()
  app.use(async (request, response, next) => {
    await once(gate, 'open')
    next()
  })
  const handled = new Promise(resolve => { app.get('/users/:name', resolve) })
  const { port } = await serve(t, app)
  send(t, port, '/users/alice')
  await until(({ total }) => total === 1)
  assert.deepEqual(routes(), ['GET'])
  gate.emit('open')
  await handled
  assert.deepEqual(routes(), ['GET /users/:name'])
})

test('a request whose client is gone is listed for as long as its handler holds the response and has not ended it', async t => {
  const { read, until } = createSubject(t)
  const responses = new Map()
  const { port } = await serve(t, (request, response) => { responses.set(request.url, response) })
  for (const path of ['/ended', '/dropped']) {
    const socket = send(t, port, path)
    while (!responses.has(path)) await sleep(5)
    socket.destroy()
    await until(({ requests }) => requests.at(-1)?.goneMicros > 0)
  }
  assert.deepEqual(read().requests.map(({ route }) => route), ['GET /ended', 'GET /dropped'])
  assert.equal(read().total, 2)
  responses.get('/dropped').writeHead(200).flushHeaders()
  assert.deepEqual(read().requests.map(({ isSending }) => isSending), [false, true])
  responses.get('/ended').end('late')
  assert.deepEqual(read().requests.map(({ route }) => route), ['GET /dropped'])
  responses.clear()
  await until(({ total }) => total === 0, async () => {
    await sleep(20)
    collect()
  })
})

test('an upgraded connection is counted, not listed, until it is closed; what runs for it is listed', async t => {
  const { contexts, read, until } = createSubject(t)
  const server = http.createServer()
  let context
  server.on('upgrade', (request, socket) => {
    context = contexts.context.current()
    socket.on('error', () => {}).on('end', () => socket.end()).resume()
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
  })
  const socket = send(t, await listen(t, server), '/chat', 'connection: upgrade\r\nupgrade: x\r\n')
  await until(({ upgraded }) => upgraded === 1)
  assert.deepEqual([read().total, read().requests], [0, []])
  const { running, requests } = read({ current: context })
  assert.deepEqual([running, requests.map(({ route, isRunning }) => [route, isRunning])], ['GET /chat', [['GET /chat', true]]])
  socket.destroy()
  await until(({ upgraded }) => upgraded === 0)
})

test('requests of HTTP/2 are listed until their stream is closed', { skip: MAJOR < 22 && 'this Node.js does not tell of streams' }, async t => {
  const { routes, until } = createSubject(t)
  const server = http2.createServer(() => {})
  const client = http2.connect(`http://127.0.0.1:${await listen(t, server)}`)
  t.after(() => client.destroy())
  const streams = ['/a', '/b'].map(path => client.request({ ':path': path }).on('error', () => {}))
  await until(({ total }) => total === 2)
  assert.deepEqual(routes(), ['GET /a', 'GET /b'])
  streams[0].close()
  await until(({ total }) => total === 1)
  assert.deepEqual(routes(), ['GET /b'])
  client.destroy()
  await until(({ total }) => total === 0)
})

test('a stream of HTTP/2 whose client has not ended it is received', { skip: MAJOR < 22 && 'this Node.js does not tell of streams' }, async t => {
  const { read, until } = createSubject(t)
  const server = http2.createServer(request => { if (request.url !== '/unread') request.resume() })
  const client = http2.connect(`http://127.0.0.1:${await listen(t, server)}`)
  t.after(() => client.destroy())
  const post = path => client.request({ ':path': path, ':method': 'POST' }).on('error', () => {})
  post('/ended').end('abc')
  post('/unread').write('abc')
  const open = post('/open')
  open.write('abc')
  const states = () => Object.fromEntries(read().requests.map(({ route, isReceiving }) => [route, isReceiving]))
  await until(() => states()['POST /open'] && !states()['POST /unread'] && !states()['POST /ended'])
  assert.deepEqual(states(), { 'POST /ended': false, 'POST /unread': false, 'POST /open': true })
  open.end()
  await until(() => !states()['POST /open'])
  assert.equal(read().total, 3)
})

test('a pipelined request whose connection is closed before its turn is forgotten', async t => {
  const { inFlight, until } = createSubject(t)
  const { port } = await serve(t, () => {})
  const socket = send(t, port, '/first', '\r\nGET /second HTTP/1.1\r\nhost: a\r\n')
  await until(({ total }) => total === 2)
  socket.destroy()
  let micros = 0
  await until(({ requests }) => requests.every(({ goneMicros }) => goneMicros !== null), () => {
    inFlight.sweep(micros += 60e6)
    return sleep(5)
  })
})

test('of very many the oldest are read, and the one that runs', t => {
  const { inFlight, read } = createSubject(t)
  const contexts = Array.from({ length: 1000 }, (_, index) => createRequestContext({ method: 'GET', url: `/${index}`, headers: {} }, 1, index))
  for (const context of contexts) inFlight.requests.add(context)
  const { total, requests } = read({ current: contexts[900] })
  assert.deepEqual([total, requests.length, requests[0].fromMicros, requests[99].fromMicros], [1000, 101, 0, 99])
  assert.deepEqual([requests[100].fromMicros, requests[100].isRunning], [900, true])
  for (const context of contexts.toReversed()) inFlight.requests.remove(context)
  assert.deepEqual([read().total, read().requests], [0, []])
})

test('a request that cannot be read is left out', t => {
  const { inFlight, routes } = createSubject(t)
  const odd = { method: 'GET', url: '/odd', headers: {}, get stream () { throw new Error('odd') } }
  for (const request of [odd, { method: 'GET', url: '/', headers: {} }]) inFlight.requests.add(createRequestContext(request, 1, 1))
  assert.deepEqual(routes(), ['GET /'])
})

test('jobs that never end are bounded', t => {
  const { inFlight, read } = createSubject(t)
  for (let index = 0; index < 10_010; index++) inFlight.addJob(createRequestContext({ method: 'job', url: '', headers: {} }, 1, index))
  const { total, requests } = read()
  assert.deepEqual([total, requests[0].fromMicros], [10_000, 10])
})
