'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const { createRequestContexts } = require('../../lib/probe/http/contexts/request-contexts')
const { routeOf } = require('../../lib/probe/http/route-template')
const { RequestNotes } = require('../../lib/probe/request-notes')
const { monotonicMicros } = require('../../lib/base/monotonic')
const { createParts, frameworks, serve } = require('./served')

const AGENT = new http.Agent({ keepAlive: true, maxSockets: 1 })

const contextOf = route => ({ request: { method: 'GET', baseUrl: '', url: route.path, route }, startMicros: 5, arrivedMicros: 5, connection: null, waits: null })

function createSubject (t) {
  const handedOver = []
  const notes = new RequestNotes({ context: { current: () => undefined }, heartbeat: { dueMicros: Infinity }, tell: (name, params) => handedOver.push([name, params.notes]) })
  t.after(() => notes.stop())
  return { notes, handedOver, take: () => { notes.handOver(); return handedOver.pop()[1] } }
}

test('work is held until it is handed over', t => {
  const { notes, take } = createSubject(t)
  notes.noteWork(contextOf({ path: '/auth' }), 6000, 7000)
  assert.deepEqual(take().work, [{ fromMicros: 6000, toMicros: 7000, startMicros: 5, route: 'GET /auth' }])
  assert.deepEqual(take().work, [])
})

test('the route is read at the handover, or after a second, and then the request is released', t => {
  const { notes, take } = createSubject(t)
  const [early, late] = [contextOf({ path: '/early' }), contextOf({ path: '/early' })]
  notes.noteWork(early, 0, 1000)
  notes.noteWork(late, 1000, 2000)
  notes.noteTick(1_001_000, 0)
  early.request = late.request = { method: 'GET', baseUrl: '', url: '/', route: { path: '/late' } }
  assert.deepEqual(take().work.map(({ route }) => route), ['GET /early', 'GET /late'])
})

test('work is bounded, and noted again once it was handed over; a lot of it is handed over with the next tick', t => {
  const { notes, take, handedOver } = createSubject(t)
  const context = contextOf({ path: '/auth' })
  const note = () => { for (let number = 0; number < 6000; number++) notes.noteWork(context, number * 1000, number * 1000 + 1000) }
  note()
  assert.equal(take().work.length, 5000)
  note()
  notes.noteTick(monotonicMicros(), 0)
  assert.equal(handedOver[0][1].work.length, 5000)
})

test('what nobody takes is handed over after ten seconds, and nothing where nothing was noted', t => {
  const { notes, handedOver } = createSubject(t)
  notes.noteTick(monotonicMicros() + 11e6, 0)
  assert.deepEqual(handedOver, [])
  notes.noteWork(contextOf({ path: '/auth' }), 0, 1000)
  notes.noteTick(monotonicMicros() + 1e6, 0)
  assert.deepEqual(handedOver, [])
  notes.noteTick(monotonicMicros() + 11e6, 0)
  assert.deepEqual(handedOver.map(([name]) => name), ['requestNotes'])
})

test('answers that took 50 ms are noted with their traces, and ticks that were late', t => {
  const { notes, take } = createSubject(t)
  const context = contextOf({ path: '/auth' })
  context.request.headers = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }
  notes.noteAnswer(context, 'GET /auth', 200, 49_000)
  notes.noteAnswer(context, 'GET /auth', 200, 50_005)
  notes.noteTick(1e6, 300)
  const { answers, late } = take()
  assert.deepEqual(answers, [{ route: 'GET /auth', status: 200, traceId: '0af7651916cd43dd8448eb211c80319c', fromMicros: 5, startMicros: 5, toMicros: 50_005, waits: [] }])
  assert.deepEqual(late, [{ fromMicros: 700_000, toMicros: 1e6 }])
})

for (const [name, express] of Object.entries(frameworks)) {
  test(`${name}: the middleware notes the synchronous part of a request`, async t => {
    const noted = []
    const onWork = ({ request }, fromMicros, toMicros) => noted.push({ fromMicros, toMicros, route: routeOf(request) })
    const { context, middleware } = createParts({ onWork })
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
    const [work] = noted
    assert.equal(noted.length, 1)
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
