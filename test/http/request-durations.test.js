'use strict'

const { test } = require('node:test')
const assert = require('node:assert/strict')
const { createRequestDurations, BOUNDS_SECONDS } = require('../../lib/api/http/request-durations')
const { forgetWarnings } = require('../../lib/base/warnings')

const request = { route: '/x/:id', status: 200, seconds: 0.02 }

/** One that begins and ends. */
function count (requests, { method = 'GET', scheme = 'http', ...change }) {
  return requests.finished({ ...request, ...change, active: requests.started(method, scheme) })
}

test('durations are cumulative by method, route and status', () => {
  const requests = createRequestDurations()
  for (const change of [{}, { seconds: 0.2 }, { status: 404 }, { method: 'POST' }]) {
    count(requests, change)
  }
  const { durations, overflowed } = requests.read()
  assert.deepEqual(durations.map(({ method, route, status, reading }) => [method, route, status, reading.count]),
    [['GET', '/x/:id', '200', 2], ['GET', '/x/:id', '404', 1], ['POST', '/x/:id', '200', 1]])
  const { reading } = durations[0]
  assert.deepEqual(reading.bounds, BOUNDS_SECONDS)
  assert.equal(reading.counts[BOUNDS_SECONDS.indexOf(0.025)], 1)
  assert.equal(reading.counts[BOUNDS_SECONDS.indexOf(0.25)], 2)
  assert.ok(Math.abs(reading.sum - 0.22) < 1e-9)
  assert.equal(overflowed, 0)
  assert.deepEqual(requests.read(), requests.read())
})

test('arrived and answered requests are counted in the memory of the caller, those before it included', () => {
  const requests = createRequestDurations()
  count(requests, {})
  const totals = new Float64Array(2)
  requests.countIn(totals)
  requests.started('GET', 'http')
  assert.deepEqual([...totals], [2, 1])
})

test('requests in flight are counted by method and scheme', () => {
  const requests = createRequestDurations()
  requests.started('GET', 'http')
  requests.started('GET', 'https')
  count(requests, { scheme: 'https' })
  assert.deepEqual(requests.read().active, [{ method: 'GET', scheme: 'http', count: 1 }, { method: 'GET', scheme: 'https', count: 1 }])
})

test('routes beyond the limit become _other, are counted, and are logged once', () => {
  forgetWarnings()
  const logged = []
  const requests = createRequestDurations({ maxRoutes: 2, logger: { warn: fields => { logged.push(fields.code) } } })
  for (const route of ['/a', '_unmatched', '/b', '/c', '/d', '/a', '_unmatched']) count(requests, { route })
  const { durations, overflowed } = requests.read()
  assert.deepEqual(durations.map(({ route, reading }) => [route, reading.count]), [['/a', 2], ['_unmatched', 2], ['/b', 1], ['_other', 2]])
  assert.equal(overflowed, 2)
  assert.deepEqual(logged, ['LOOPSCOPE_WARN_ROUTE_LIMIT'])
})

test('every request of a route beyond the limit is counted, however many such routes there are', () => {
  const requests = createRequestDurations({ maxRoutes: 1, logger: { warn () {} } })
  count(requests, { route: '/a' })
  const changes = Array.from({ length: 3000 }, (_, at) => [{}, {}, { status: 404 }, { method: 'POST' }].map(change => ({ ...change, route: `/more-${at}` }))).flat()
  assert.deepEqual(changes.map(change => count(requests, change)), changes.map(({ method = 'GET', route }) => `${method} ${route}`))
  const { durations, overflowed } = requests.read()
  assert.deepEqual(durations.map(({ method, route, status, reading }) => [method, route, status, reading.count]),
    [['GET', '/a', '200', 1], ['GET', '_other', '200', 6000], ['GET', '_other', '404', 3000], ['POST', '_other', '200', 3000]])
  assert.equal(overflowed, 12_000)
})

test('statuses that cannot be become _other', () => {
  const requests = createRequestDurations()
  for (const status of [0, 99, 600, 200.5, NaN, '200', undefined]) count(requests, { status })
  const { durations, overflowed } = requests.read()
  assert.deepEqual(durations.map(({ status, reading }) => [status, reading.count]), [['_other', 7]])
  assert.equal(overflowed, 7)
})

test('a finished request has the name of its route, also where there is no room to count it by that', () => {
  const requests = createRequestDurations({ maxRoutes: 1, logger: { warn () {} } })
  const names = ['/a', '/b', '/a', '/b', '_unmatched'].map(route => count(requests, { method: 'PUT', route }))
  assert.deepEqual(names, ['PUT /a', 'PUT /b', 'PUT /a', 'PUT /b', 'PUT _unmatched'])
  assert.equal(count(requests, { method: 'PUT', route: '/a', status: 1000 }), 'PUT /a')
})

test('a limit out of range is refused', () => {
  assert.throws(() => createRequestDurations({ maxRoutes: 0 }), { code: 'ERR_LOOPSCOPE_INVALID_OPTION' })
  assert.throws(() => createRequestDurations({ maxRoutes: 501 }), /options\.maxRoutes must be an integer from 1 to 500, got 501/)
})
