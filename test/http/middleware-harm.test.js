'use strict'

const { test, beforeEach } = require('node:test')
const assert = require('node:assert/strict')
const { EventEmitter } = require('node:events')
const { createMiddleware } = require('../../lib/api/http/middleware')
const { forgetWarnings } = require('../../lib/base/warnings')
const { frameworks, createParts, serve, counted } = require('./served')

beforeEach(forgetWarnings)

test('what next throws or returns comes through unchanged', t => {
  const { context, middleware } = createParts()
  t.after(() => context.stop())
  const response = Object.assign(new EventEmitter(), { statusCode: 200 })
  for (const thrown of [new Error('theirs'), 'text', undefined]) {
    let caught = 'nothing'
    try {
      middleware({ method: 'GET' }, response, () => { throw thrown })
    } catch (error) {
      caught = error
    }
    assert.equal(caught, thrown)
  }
  assert.equal(middleware({ method: 'GET' }, response, () => 7), 7)
})

test('exotic requests and responses are let through', t => {
  const { context, middleware, logged } = createParts()
  t.after(() => context.stop())
  const shapes = [{}, Object.freeze({}), Object.freeze(new EventEmitter()), Object.create(null), { on () { throw new Error('trap') } },
    { get socket () { throw new Error('trap') } }]
  let calls = 0
  for (const request of shapes) {
    for (const response of shapes) middleware(request, response, (...given) => { calls++; assert.deepEqual(given, []) })
  }
  middleware(undefined, undefined, () => { calls++ })
  assert.equal(calls, shapes.length ** 2 + 1)
  assert.deepEqual(logged.map(({ code }) => code), ['LOOPSCOPE_WARN_INTERNAL'])
})

test('a response that cannot be watched still has its context and is not counted as in flight', t => {
  const { context, requests, middleware } = createParts()
  t.after(() => context.stop())
  const request = { method: 'GET' }
  const response = Object.freeze(Object.assign(new EventEmitter(), { finished: false }))
  middleware(request, response, () => assert.equal(context.current().request, request))
  assert.deepEqual(requests.read().active, [])
})

test('faults of the counter and of the logger stay out of the request', async t => {
  const fault = () => { throw new Error('ours') }
  const { context } = createParts()
  for (const requests of [{ started: fault, finished: fault }, { started () {}, finished: fault }]) {
    forgetWarnings()
    const middleware = createMiddleware({ context, requests, logger: { warn: fault }, stallThresholdMs: 100 })
    const app = frameworks['express 5']()
    app.use(middleware)
    app.get('/', (request, response) => response.end('fine'))
    const { get } = await serve(t, app)
    assert.deepEqual(await get('/'), { status: 200, text: 'fine' })
  }
  context.stop()
})

test('a response ended before the middleware, or at once, is counted', async t => {
  const { context, requests, middleware } = createParts()
  const app = frameworks['express 5']()
  app.use('/before', (request, response, next) => { response.end('x'); next() })
  app.use(middleware)
  app.use((request, response) => { if (!response.writableEnded) response.end('x') })
  const { get } = await serve(t, app, { context })
  await get('/before')
  await get('/after')
  assert.deepEqual(await counted(requests, 2), ['GET /after 200 1', 'GET /before 200 1'])
  assert.equal(requests.read().active[0].count, 0)
})
