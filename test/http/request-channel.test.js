'use strict'

const { test } = require('node:test')
const assert = require('node:assert/strict')
const { hasSubscribers } = require('node:diagnostics_channel')
const { setTimeout: sleep } = require('node:timers/promises')
const { RequestChannel } = require('../../lib/probe/http/request-channel')
const { createRequestContexts } = require('../../lib/probe/http/contexts/request-contexts')
const { RequestMeasure } = require('../../lib/api/http/request-measure')
const { routeOf } = require('../../lib/probe/http/route-template')
const { frameworks, createParts, serve, counted } = require('./served')

function createChannel (t) {
  const contexts = createRequestContexts()
  const { context } = contexts
  const parts = createParts({ context })
  const measure = new RequestMeasure(parts)
  const channel = new RequestChannel(({ request, response }) => measure.begin(request, response))
  contexts.start()
  channel.start()
  t.after(() => {
    channel.stop()
    contexts.stop()
  })
  return { ...parts, channel, contexts }
}

for (const [name, express] of Object.entries(frameworks)) {
  test(`${name}: requests have context and durations without a middleware`, async t => {
    const { context, requests } = createChannel(t)
    const app = express()
    app.get('/x/:id', async (request, response) => {
      await sleep(1)
      response.end(routeOf(context.current().request))
    })
    const { get } = await serve(t, app, { context })
    const answers = await Promise.all([1, 2, 3].map(id => get(`/x/${id}`)))
    assert.deepEqual(answers.map(({ text }) => text), ['GET /x/:id', 'GET /x/:id', 'GET /x/:id'])
    assert.deepEqual(await counted(requests, 3), ['GET /x/:id 200 3'])
  })

  test(`${name}: a request seen by the channel and by the middleware is counted once`, async t => {
    const { context, requests, middleware } = createChannel(t)
    const app = express()
    app.use(middleware)
    app.get('/x/:id', (request, response) => response.end(String(context.current().request === request)))
    const { get } = await serve(t, app, { context })
    for (const id of [1, 2]) assert.equal((await get(`/x/${id}`)).text, 'true')
    assert.deepEqual(await counted(requests, 2), ['GET /x/:id 200 2'])
  })
}

test('starts and stops twice, and leaves nothing subscribed', async t => {
  const { context, requests, channel, contexts } = createChannel(t)
  channel.start()
  contexts.start()
  assert.equal(channel.running, true)
  assert.equal(hasSubscribers('http.server.request.start'), true)
  channel.stop()
  channel.stop()
  contexts.stop()
  contexts.stop()
  assert.equal(channel.running, false)
  assert.equal(hasSubscribers('http.server.request.start'), false)
  const { get } = await serve(t, (request, response) => response.end('x'), { context })
  await get('/')
  assert.deepEqual(requests.read(), { durations: [], active: [], overflowed: 0, endless: new Set() })
})
