'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { AsyncLocalStorage } = require('node:async_hooks')
const { once } = require('node:events')
const http = require('node:http')
const { createRequestContexts } = require('../../lib/probe/http/contexts/request-contexts')
const { traceOf } = require('../../lib/probe/trace-of')
const { listen } = require('../http/listening')

const API = Symbol.for('opentelemetry.js.api.1')
const TRACE = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }

/** A server whose listeners are called with a span as the instrumentation of node:http calls them. */
async function createSubject (t, { isTraced }) {
  const spans = new AsyncLocalStorage()
  const server = http.createServer(async (request, response) => {
    await new Promise(setImmediate)
    spans.exit(() => response.end(JSON.stringify(traceOf(request))))
  })
  const contexts = createRequestContexts()
  contexts.start()
  if (isTraced) {
    globalThis[API] = { version: '1.9.1', context: { active: () => ({ getValue: () => spans.getStore() }) } }
    const { emit } = server
    server.emit = (name, ...values) => name === 'request'
      ? spans.run({ spanContext: () => TRACE }, () => emit.call(server, name, ...values))
      : emit.call(server, name, ...values)
  }
  const port = await listen(t, server)
  t.after(() => {
    delete globalThis[API]
    contexts.stop()
  })
  const ask = async () => (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })).json()
  return { server, contexts, ask }
}

test('the span of a request is known from its first one on, also outside of its context', async t => {
  const { server, contexts, ask } = await createSubject(t, { isTraced: true })
  assert.deepEqual([await ask(), await ask()], [TRACE, TRACE])
  assert.equal(server.listenerCount('request'), 2)
  contexts.stop()
  assert.equal(server.listenerCount('request'), 1)
  assert.equal(await ask(), null)
})

test('a server that is closed is let go', async t => {
  const { server, ask } = await createSubject(t, { isTraced: true })
  await ask()
  const closed = once(server, 'close')
  server.close()
  await closed
  assert.deepEqual([server.listenerCount('request'), server.listenerCount('close')], [1, 0])
})

test('without OpenTelemetry no server gets a listener', async t => {
  const { server, ask } = await createSubject(t, { isTraced: false })
  assert.equal(await ask(), null)
  assert.equal(server.listenerCount('request'), 1)
})
