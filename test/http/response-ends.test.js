'use strict'

const { test } = require('node:test')
const assert = require('node:assert/strict')
const http = require('node:http')
const net = require('node:net')
const { once } = require('node:events')
const { hasSubscribers, subscribe, unsubscribe } = require('node:diagnostics_channel')
const { createRequestContext } = require('../../lib/probe/http/contexts/one-request')
const { RouteContext } = require('../../lib/probe/http/contexts/route-context')
const { ResponseEnds, isServedBy, whenEnded } = require('../../lib/probe/http/response-ends')
const { serve } = require('./served')
const { listen } = require('./listening')

const CHANNEL = 'http.server.response.finish'

/** `awaitEnd` is for a listener of a server; `ended` says of each response how. */
function createSubject (t) {
  const ended = []
  const ends = new ResponseEnds()
  const contextOf = collectContexts(t, ends)
  t.after(() => ends.stop())
  return {
    ends,
    ended,
    awaitEnd: (request, response) => whenEnded(contextOf(request), response, (context, same, isSent) => { ended.push(`${request.url} ${isSent}`) }),
    until: async count => { while (ended.length < count) await new Promise(resolve => setImmediate(resolve)) }
  }
}

/**
 * @param {import('node:test').TestContext} t
 * @param {ResponseEnds} ends
 * @returns {(request: http.IncomingMessage) => any} its context, of the moment at which Node.js began it
 */
function collectContexts (t, ends) {
  const contexts = new WeakMap()
  const onStart = ({ request, response, socket }) => {
    const context = createRequestContext(request, 0, 0, isServedBy(socket, response) ? response : null)
    ends.await(context, request, response)
    contexts.set(request, context)
  }
  subscribe('http.server.request.start', onStart)
  t.after(() => unsubscribe('http.server.request.start', onStart))
  return request => contexts.get(request)
}

/** A server that waits for the end of each response. */
async function createAwaiting (t, listener) {
  const context = new RouteContext()
  context.start()
  const subject = createSubject(t)
  const { port } = await serve(t, (request, response) => {
    subject.awaitEnd(request, response)
    listener(request, response)
  }, { context })
  return { ...subject, port }
}

/** @param {number} port */
async function connectTo (port) {
  const socket = net.connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return { socket, ask: path => socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`) }
}

test('a response has no listener of loopscope, and a connection has one however many requests it carries', async t => {
  const listeners = []
  const { ended, until, port } = await createAwaiting(t, (request, response) => {
    listeners.push([response.listenerCount('close'), response.listenerCount('finish'), request.socket.listenerCount('close')].join())
    response.end()
  })
  const { socket, ask } = await connectTo(port)
  for (const [index, path] of ['/1', '/2', '/3'].entries()) {
    ask(path)
    await until(index + 1)
  }
  assert.deepEqual(ended, ['/1 true', '/2 true', '/3 true'])
  assert.equal(new Set(listeners).size, 1, listeners.join(' '))
  assert.equal(listeners[0].slice(0, 2), '0,')
  socket.destroy()
})

test('a connection that closes ends the one response that has it, sent or not, and only once', async t => {
  const { ended, until, port } = await createAwaiting(t, (request, response) => {
    if (request.url !== '/never') return response.end('x')
    response.write('part')
  })
  const { socket, ask } = await connectTo(port)
  ask('/fine')
  await until(1)
  ask('/never')
  await once(socket, 'data')
  socket.destroy()
  await until(2)
  assert.deepEqual(ended, ['/fine true', '/never false'])
})

test('responses that wait behind another in a pipeline are reported, in their order', async t => {
  const held = []
  const { ended, until, port } = await createAwaiting(t, (request, response) => {
    if (request.url === '/first') held.push(response)
    else response.end()
    if (request.url === '/third') held[0].end()
  })
  const { socket } = await connectTo(port)
  socket.write(['/first', '/second', '/third'].map(path => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''))
  await until(3)
  assert.deepEqual(ended.toSorted(), ['/first true', '/second true', '/third true'])
  socket.destroy()
})

test('responses of a custom class, ended ones and simulated ones are reported', async t => {
  class Response extends http.ServerResponse {}
  const { ended, until, awaitEnd } = createSubject(t)
  const server = http.createServer({ ServerResponse: Response }, (request, response) => {
    if (request.url === '/ended') response.end()
    awaitEnd(request, response)
    response.end()
  })
  const port = await listen(t, server)
  for (const path of ['/one', '/ended']) await fetch(`http://127.0.0.1:${port}${path}`).then(answer => answer.text())
  await until(2)
  assert.deepEqual(ended, ['/one true', '/ended true'])
  server.closeAllConnections()
})

test('a response that ended before it was watched is reported, in the call that began its request and after it', async t => {
  const { ended, until, awaitEnd } = createSubject(t)
  const { port } = await serve(t, async (request, response) => {
    response.end()
    if (request.url === '/later') await once(response, 'finish')
    awaitEnd(request, response)
  })
  const { socket, ask } = await connectTo(port)
  for (const [index, path] of ['/at-once', '/later', '/at-once'].entries()) {
    ask(path)
    await until(index + 1)
  }
  assert.deepEqual(ended, ['/at-once true', '/later true', '/at-once true'])
  socket.destroy()
})

test('a response whose connection was destroyed before it was watched is reported as not sent', async t => {
  const { ended, until, awaitEnd } = createSubject(t)
  const { port } = await serve(t, (request, response) => {
    response.destroy()
    awaitEnd(request, response)
  })
  const { socket, ask } = await connectTo(port)
  socket.on('error', () => {})
  ask('/gone')
  await until(1)
  assert.deepEqual(ended, ['/gone false'])
  socket.destroy()
})

test('after a stop the responses under way are still reported, and then nothing is subscribed', async t => {
  const held = []
  const { ends, ended, until, port } = await createAwaiting(t, (request, response) => { held.push(response) })
  const { socket, ask } = await connectTo(port)
  ask('/slow')
  while (held.length === 0) await new Promise(resolve => setImmediate(resolve))
  ends.stop()
  assert.equal(hasSubscribers(CHANNEL), true)
  held[0].end()
  await until(1)
  assert.deepEqual(ended, ['/slow true'])
  assert.equal(hasSubscribers(CHANNEL), false)
  socket.destroy()
})
