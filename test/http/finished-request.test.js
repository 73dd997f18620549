'use strict'

// What a request leaves behind keeps its context for as long as it lives itself: by then the context keeps nothing of the request.

const { test } = require('node:test')
const assert = require('node:assert/strict')
const http = require('node:http')
const { setTimeout: sleep } = require('node:timers/promises')
const { setFlagsFromString } = require('node:v8')
const { runInNewContext } = require('node:vm')
const { createRequestContexts } = require('../../lib/probe/http/contexts/request-contexts')
const { routeOf } = require('../../lib/probe/http/route-template')
const { traceOf } = require('../../lib/probe/trace-of')
const { createParts, serve } = require('./served')

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`

/** With the contexts of the process, and with a middleware if wanted. */
async function createSubject (t, { isCounted, ...options }) {
  const contexts = createRequestContexts()
  contexts.start()
  t.after(() => contexts.stop())
  const { middleware } = createParts({ context: contexts.context })
  const never = new Promise(() => {})
  const current = () => contexts.context.current().request
  // Keeps nothing of the request itself.
  const leaveBehind = async () => {
    setTimeout(() => { late.push(routeOf(current()), traceOf(current())?.traceId) }, 100)
    await never
  }
  const requests = []
  const late = []
  const { port } = await serve(t, (request, response) => {
    requests.push(new WeakRef(request), new WeakRef(response))
    const work = () => {
      leaveBehind()
      if (request.url.startsWith('/abort')) request.socket.destroy()
      else response.end()
    }
    if (isCounted) middleware(request, response, work)
    else work()
  }, options)
  return { requests, late, port }
}

async function ask (port, path, headers = {}) {
  const request = http.get({ port, host: '127.0.0.1', path, agent: false, headers })
  request.on('error', () => {})
  request.on('response', response => response.resume())
  await new Promise(resolve => request.on('close', resolve))
}

for (const isCounted of [true, false]) {
  test(`${isCounted ? 'counted' : 'uncounted'} requests with a promise that stays pending are collected, answered or aborted; late work has its route and trace`, async t => {
    const { requests, late, port } = await createSubject(t, { isCounted })
    await ask(port, '/users/1')
    await ask(port, '/users/2', { traceparent: TRACEPARENT })
    await ask(port, '/abort/3')
    while (late.length < 6) await sleep(20)
    assert.deepEqual(late, ['GET /users/:id', undefined, 'GET /users/:id', TRACE_ID, 'GET /abort/:id', undefined])
    const kept = () => requests.filter(ref => ref.deref() !== undefined).length
    for (let round = 0; round < 50 && kept() > 0; round++) {
      await sleep(20)
      collect()
    }
    assert.equal(kept(), 0)
  })
}
