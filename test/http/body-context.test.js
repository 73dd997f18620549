'use strict'

// The hook that all requests of node:http share, and those of single ones.

const { test } = require('node:test')
const assert = require('node:assert/strict')
const http = require('node:http')
const { Readable } = require('node:stream')
const { createRequestContext } = require('../../lib/probe/http/contexts/one-request')
const { RouteContext } = require('../../lib/probe/http/contexts/route-context')

const { prototype } = http.IncomingMessage

const createMessage = () => new http.IncomingMessage({ readable: false })

/** What the code is given a chunk in, when Node.js brings it while the stream waits for it. */
async function whileRead (stream, look) {
  const seen = []
  stream.on('data', () => seen.push(look()))
  stream.push('begin')
  while (seen.length === 0) await new Promise(resolve => setImmediate(resolve))
  stream.push('x')
  assert.equal(seen.length, 2)
  return seen[1]
}

/** @param {import('node:test').TestContext} t */
function createSubject (t) {
  const context = new RouteContext()
  context.start()
  t.after(() => context.stop())
  return {
    context,
    async findsItself (request) {
      const own = createRequestContext(request, 0, 0)
      context.keepFor(request, own)
      return await whileRead(request, () => context.current()) === own
    }
  }
}

test('requests share one hook, with nothing of it to be listed on them, and it goes when contexts are stopped', async t => {
  const { context, findsItself } = createSubject(t)
  const [request, second] = [createMessage(), createMessage()]
  assert.equal(await findsItself(request), true)
  assert.equal(await findsItself(second), true)
  assert.equal(request.push, second.push)
  assert.equal(Object.hasOwn(request, 'push'), false)
  assert.equal(Object.keys(prototype).includes('push'), false)
  context.stop()
  assert.equal(Object.hasOwn(prototype, 'push'), false)
  assert.equal(request.push, Readable.prototype.push)
})

test('responses of other servers are read without a context', async t => {
  const { context, findsItself } = createSubject(t)
  await findsItself(createMessage())
  assert.equal(await whileRead(createMessage(), () => context.current()), undefined)
})

test('a push() that somebody else has put there is called, and stays', async t => {
  const { context, findsItself } = createSubject(t)
  const pushed = []
  const wrap = () => {
    const before = prototype.push
    prototype.push = function (...given) { pushed.push(given[0]); return before.apply(this, given) }
    return prototype.push
  }
  t.after(() => { delete prototype.push })
  const first = wrap()
  assert.equal(await findsItself(createMessage()), true)
  assert.equal(prototype.push, first)
  delete prototype.push
  await findsItself(createMessage())
  const later = wrap()
  assert.equal(await findsItself(createMessage()), true)
  context.stop()
  assert.equal(prototype.push, later)
  createMessage().push('stopped')
  assert.deepEqual(pushed, ['begin', 'x', 'begin', 'x', 'stopped'])
})

test('a stream that is no request of node:http has a hook of its own', async t => {
  const { findsItself } = createSubject(t)
  const stream = new Readable({ read () {} })
  assert.equal(await findsItself(stream), true)
  assert.equal(Object.hasOwn(stream, 'push'), true)
  assert.equal(Object.hasOwn(prototype, 'push'), false)
})
