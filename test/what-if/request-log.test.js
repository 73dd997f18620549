'use strict'

// The main thread's log of requests, and the observer's history of it.

const assert = require('node:assert/strict')
const { describe, it } = require('node:test')
const { RequestLog, MAX_REQUESTS } = require('../../lib/probe/http/request-log')
const { FIELDS } = require('../../lib/shared/requests/request-batch')
const { RequestHistory } = require('../../lib/observer/what-if/request-history')

const context = (startMicros, connection = null) => ({ arrivedMicros: startMicros - 5, startMicros, turnMicros: 2, connection })

describe('request log', () => {
  it('has numbers of all requests of a stretch', () => {
    const log = new RequestLog(0)
    assert.equal(log.take(50), null)
    const [one, other] = [{ number: 0 }, { number: 0 }]
    log.note(context(100, one), 'GET /a', 110)
    log.note(context(120, other), 'GET /b', 130)
    log.note(context(140, one), 'GET /a', 150)
    const batch = log.take(200)
    assert.deepEqual(batch.routes, ['GET /a', 'GET /b'])
    assert.deepEqual([batch.fromMicros, batch.toMicros], [50, 200])
    assert.deepEqual([...batch.numbers], [0, 95, 100, 110, 2, 1, 1, 115, 120, 130, 2, 2, 0, 135, 140, 150, 2, 1])
    assert.equal(log.take(300), null)
  })

  it('is bounded, and then complete up to its last request', () => {
    const log = new RequestLog(0)
    for (let index = 0; index < MAX_REQUESTS + 10; index++) log.note(context(index), 'GET /a', index + 1)
    const { numbers, toMicros } = log.take(1e6)
    assert.equal(numbers.length, MAX_REQUESTS * FIELDS)
    assert.equal(toMicros, MAX_REQUESTS)
    log.note(context(2e6), 'GET /a', 2e6 + 1)
    assert.equal(log.take(3e6).toMicros, 3e6)
  })

  it('survives more routes than it keeps', () => {
    const log = new RequestLog(0)
    for (let index = 0; index < 1000; index++) log.note(context(index), `GET /${index}`, index + 1)
    const { routes, numbers, toMicros } = log.take(5000)
    assert.equal(numbers.length / FIELDS, routes.length)
    assert.equal(toMicros, routes.length)
  })
})

describe('request history', () => {
  const batch = (fromMicros, toMicros, count = 1) => {
    const log = new RequestLog(fromMicros)
    for (let index = 0; index < count; index++) log.note(context(toMicros - 10), 'GET /a', toMicros - 1)
    return log.take(toMicros)
  }

  it('joins what has no gap between', () => {
    const history = new RequestHistory()
    for (const some of [batch(0, 1000), null, batch(1000, 2000), batch(2500, 3000)]) history.add(some)
    const stretches = history.stretches(0, 5000)
    assert.deepEqual(stretches.map(({ fromMicros, toMicros, requests }) => [fromMicros, toMicros, requests.length]), [[0, 2000, 2], [2500, 3000, 1]])
    assert.deepEqual(stretches[0].requests[0], { route: 'GET /a', arrivedMicros: 985, startMicros: 990, endMicros: 999, turnMicros: 2, connection: 0 })
    assert.deepEqual(history.stretches(1500, 2100).map(({ requests }) => requests.length), [1])
  })

  it('is bounded by time and by number', () => {
    const history = new RequestHistory()
    history.add(batch(0, 1000))
    history.add(batch(100e6, 101e6))
    assert.equal(history.stretches(0, 200e6).length, 1)
    for (let index = 0; index < 20; index++) history.add(batch(101e6 + index * 1e6, 102e6 + index * 1e6, MAX_REQUESTS))
    const kept = history.stretches(0, 200e6).reduce((sum, { requests }) => sum + requests.length, 0)
    assert.ok(kept <= 16_384, `${kept} kept`)
  })
})
