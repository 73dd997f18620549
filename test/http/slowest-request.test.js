'use strict'

const { test } = require('node:test')
const assert = require('node:assert/strict')
const { SlowestRequest } = require('../../lib/probe/http/stall-route')
const { monotonicMicros } = require('../../lib/base/monotonic')
const { routeOf } = require('../../lib/probe/http/route-template')
const { frameworks, createParts, serve } = require('./served')

test('the longest of at least half the threshold is kept until it is taken', () => {
  const slowest = new SlowestRequest(100)
  const [short, long, longer] = [{}, {}, {}]
  slowest.note(short, 0, 49_999)
  assert.equal(slowest.take(), null)
  slowest.note(long, 1_000, 71_000)
  slowest.note(short, 80_000, 131_000)
  slowest.note(longer, 200_000, 300_000)
  slowest.note(long, 400_000, 470_000)
  assert.deepEqual(slowest.take(), { context: longer, fromMicros: 200_000, toMicros: 300_000 })
  assert.equal(slowest.take(), null)
  slowest.note(long, 500_000, 550_000)
  assert.equal(slowest.take().context, long)
})

for (const [name, express] of Object.entries(frameworks)) {
  test(`${name}: the route of a request that blocked the loop is known when it is over`, async t => {
    const { context, middleware } = createParts({ stallThresholdMs: 20 })
    const app = express()
    app.use(middleware)
    app.get('/block/:id', (request, response) => {
      const untilMicros = monotonicMicros() + 15_000
      while (monotonicMicros() < untilMicros);
      response.end()
    })
    const { get } = await serve(t, app, { context })
    await get('/block/7')
    const { context: found, fromMicros, toMicros } = middleware.slowest.take()
    assert.equal(routeOf(found.request), 'GET /block/:id')
    assert.ok(toMicros - fromMicros >= 15_000)
    assert.ok(toMicros <= monotonicMicros())
  })
}

test('a request that throws synchronously is timed, too', t => {
  const { context, middleware } = createParts({ stallThresholdMs: 20 })
  t.after(() => context.stop())
  const request = { method: 'GET' }
  assert.throws(() => middleware(request, {}, () => {
    const untilMicros = monotonicMicros() + 11_000
    while (monotonicMicros() < untilMicros);
    throw new Error('theirs')
  }), /theirs/)
  assert.equal(middleware.slowest.take().context.request, request)
})
