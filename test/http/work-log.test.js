'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const { createRequestContexts } = require('../../lib/main/http/contexts/request-contexts')
const { WorkLog } = require('../../lib/main/http/middleware')
const { monotonicMicros } = require('../../lib/shared/base/monotonic')
const { createParts, frameworks, serve } = require('./served')

const AGENT = new http.Agent({ keepAlive: true, maxSockets: 1 })

const contextOf = route => ({ request: { method: 'GET', baseUrl: '', url: route.path, route } })

test('it holds work of a millisecond and more until it is taken', () => {
  const log = new WorkLog()
  const context = contextOf({ path: '/auth' })
  log.note(context, 5000, 5999)
  log.note(context, 6000, 7000)
  assert.deepEqual(log.take(), [{ fromMicros: 6000, toMicros: 7000, route: 'GET /auth' }])
  assert.deepEqual(log.take(), [])
})

test('the route is asked for when it is taken', () => {
  const log = new WorkLog()
  const context = contextOf({ path: '/early' })
  log.note(context, 0, 1000)
  context.request.route = { path: '/late' }
  assert.equal(log.take()[0].route, 'GET /late')
})

test('it is bounded, and takes again once it was taken', () => {
  const log = new WorkLog()
  const context = contextOf({ path: '/auth' })
  const note = () => { for (let number = 0; number < 6000; number++) log.note(context, number * 1000, number * 1000 + 1000) }
  note()
  assert.equal(log.take().length, 5000)
  note()
  assert.equal(log.take().length, 5000)
})

for (const [name, express] of Object.entries(frameworks)) {
  test(`${name}: the middleware notes the synchronous part of a request`, async t => {
    const { context, middleware } = createParts()
    const app = express()
    app.use(middleware)
    app.get('/users/:id', (request, response) => {
      const until = performance.now() + 5
      while (performance.now() < until);
      response.end()
    })
    const fromMicros = monotonicMicros()
    const { get } = await serve(t, app, { context })
    await get('/users/4711')
    const [work] = middleware.workLog.take()
    assert.equal(work.route, 'GET /users/:id')
    assert.ok(work.fromMicros >= fromMicros && work.toMicros - work.fromMicros >= 5000 && work.toMicros <= monotonicMicros())
  })
}

test('what ran before the middleware is work for the request as long as the call that began it goes on, and not once it has returned', async t => {
  const contexts = createRequestContexts()
  contexts.start()
  t.after(() => contexts.stop())
  /** By path: whether the work is counted from where the request began. */
  const isFromBegin = {}
  const onWork = ({ request, startMicros }, fromMicros) => { isFromBegin[request.url] = fromMicros === startMicros }
  const { middleware } = createParts({ context: contexts.context, onWork })
  const before = {
    '/at-once': (request, go) => { spin(); go() },
    '/in-a-timer': (request, go) => { setTimeout(go, 1) },
    '/in-a-promise': (request, go) => { Promise.resolve().then(go) },
    '/with-the-body': (request, go) => { request.once('data', go) },
    '/after-the-body': (request, go) => { request.resume().once('end', go) }
  }
  let bringBody
  const { port } = await serve(t, (request, response) => {
    before[request.url](request, () => middleware(request, response, () => { spin(); response.end() }))
    setImmediate(bringBody)
  })
  for (const path of Object.keys(before)) {
    const request = http.request({ port, host: '127.0.0.1', method: 'POST', path, agent: AGENT })
    bringBody = () => request.end('body')
    request.flushHeaders()
    const [response] = await once(request, 'response')
    await once(response.resume(), 'end')
  }
  assert.deepEqual(isFromBegin, { '/at-once': true, '/in-a-timer': false, '/in-a-promise': false, '/with-the-body': false, '/after-the-body': false })
})

function spin () {
  for (const fromMicros = monotonicMicros(); monotonicMicros() - fromMicros < 2000;);
}
