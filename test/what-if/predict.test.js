'use strict'

// Predictions against a simulated process: the truth is the same process simulated with the fix.

const assert = require('node:assert/strict')
const { describe, it } = require('node:test')
const { predict } = require('../../lib/observer/what-if/predict')
const { quantileOf, simulate } = require('./simulated-process')

const culprit = { isCulprit: ({ spot }) => spot === 0 }
const about = (random, ms) => ms * (0.8 + 0.4 * random())
const fast = random => [{ loop: about(random, 0.5) }]
const query = random => [{ loop: 0.3 }, { wait: about(random, 15) }, { loop: about(random, 1) }]
const timer = () => [{ loop: 0.3 }, { wait: 50 }, { loop: 0.5 }]

/** As clients of one pool of connections do it: a request takes the connection that was free last. The loop must have read them in the order of arrival. */
function onSharedConnections (requests) {
  const free = new Map()
  let last = 0
  return [...requests].sort((left, right) => left.atMs - right.atMs).map(request => {
    const [connection = ++last] = [...free].filter(([, endMicros]) => endMicros <= request.atMs * 1e3).sort(([, left], [, right]) => right - left)[0] ?? []
    free.set(connection, request.endMicros)
    return { ...request, connection }
  })
}

/** The same requests before it, by other connections that were closed then: as a load generator warms a process up. */
function afterWarmUp ({ stretch: { toMicros, requests }, samples }, connections = 1000) {
  const later = (row, ...names) => ({ ...row, ...Object.fromEntries(names.map(name => [name, row[name] + toMicros])) })
  return {
    samples: [...samples, ...samples.map(sample => later(sample, 'atMicros'))],
    stretch: {
      fromMicros: 0,
      toMicros: toMicros * 2,
      requests: [...requests, ...requests.map(request => ({ ...later(request, 'arrivedMicros', 'startMicros', 'endMicros'), connection: request.connection + connections }))]
    }
  }
}

/** With a sample of V8's own work each tenth of a second. */
function withOtherWork ({ samples, stretch: { toMicros } }) {
  const others = Array.from({ length: Math.floor(toMicros / 100_000) }, (_, index) => ({ atMicros: (index + 0.5) * 100_000, micros: 10_000, route: null, spot: -1, kind: 'engine' }))
  return [...samples, ...others].sort((left, right) => left.atMicros - right.atMicros)
}

/** Each with what the fix leaves: scale, or pool threads. */
const SCENARIOS = {
  'a slow handler, clients at random times': {
    routes: culpritMs => ({ 'GET /fast': fast, 'POST /login': random => [{ loop: about(random, 60) * culpritMs, culprit: true }, { loop: 0.2 }] }),
    clients: [{ route: 'GET /fast', everyMs: 10 }, { route: 'POST /login', everyMs: 200 }]
  },
  'a slow handler, closed loop': {
    routes: culpritMs => ({ 'GET /fast': fast, 'POST /login': random => [{ loop: about(random, 40) * culpritMs, culprit: true }, { loop: 5 }] }),
    clients: [{ route: 'GET /fast', connections: 5 }, { route: 'POST /login', connections: 2 }]
  },
  'a slow handler, closed loop of clients that share connections': {
    isShared: true,
    routes: culpritMs => ({ 'GET /fast': fast, 'GET /slow': random => [{ loop: about(random, 60) * culpritMs, culprit: true }, { loop: 0.5 }] }),
    clients: [{ route: 'GET /fast', connections: 4 }, { route: 'GET /slow', connections: 1 }]
  },
  'a slow handler, closed loop after a warm-up by other clients': {
    isWarmedUp: true,
    routes: culpritMs => ({ 'GET /fast': fast, 'GET /slow': random => [{ loop: about(random, 60) * culpritMs, culprit: true }, { loop: 0.5 }] }),
    clients: [{ route: 'GET /fast', connections: 4 }, { route: 'GET /slow', connections: 1 }]
  },
  'half of the requests wait': {
    routes: culpritMs => ({ 'GET /fast': fast, 'POST /login': random => [{ loop: about(random, 100) * culpritMs, culprit: true }, { loop: 0.2 }] }),
    clients: [{ route: 'GET /fast', everyMs: 12 }, { route: 'POST /login', everyMs: 220 }]
  },
  'a saturated closed loop of one route': {
    routes: culpritMs => ({ 'GET /list': random => [{ loop: about(random, 6) * culpritMs, culprit: true }, { loop: about(random, 3) }] }),
    clients: [{ route: 'GET /list', connections: 20 }]
  },
  'a small culprit in a busy open loop': {
    routes: culpritMs => ({ 'GET /list': random => [{ loop: about(random, 5) * culpritMs, culprit: true }, { loop: 1 }], 'GET /fast': fast }),
    clients: [{ route: 'GET /list', everyMs: 9 }, { route: 'GET /fast', everyMs: 15 }]
  },
  'beside clients that send in bursts, and work of V8 that is no part of the requests': {
    hasOtherWork: true,
    routes: culpritMs => ({ 'GET /fast': random => [{ loop: about(random, 0.2) }], 'POST /login': random => [{ loop: about(random, 60) * culpritMs, culprit: true }, { loop: 0.2 }] }),
    clients: [{ route: 'GET /fast', connections: 4, thinkMs: random => random() < 0.02 ? 900 : 0.1 }, { route: 'POST /login', everyMs: 400 }]
  },
  'after an await': {
    routes: culpritMs => ({ 'GET /fast': fast, 'GET /report': random => [{ loop: 0.5 }, { wait: about(random, 20) }, { loop: about(random, 80) * culpritMs, culprit: true }] }),
    clients: [{ route: 'GET /fast', everyMs: 12 }, { route: 'GET /report', everyMs: 300 }]
  },
  'beside requests that wait for a database': {
    routes: culpritMs => ({ 'GET /orders': query, 'POST /export': random => [{ loop: about(random, 120) * culpritMs, culprit: true }, { loop: 1 }] }),
    clients: [{ route: 'GET /orders', everyMs: 20 }, { route: 'POST /export', everyMs: 500 }]
  },
  'beside requests that wait for a timer while the loop is always busy': {
    routes: culpritMs => ({ 'GET /timer': timer, 'GET /heavy': random => [{ loop: about(random, 60) * culpritMs, culprit: true }, { loop: 1 }] }),
    clients: [{ route: 'GET /timer', connections: 3 }, { route: 'GET /heavy', connections: 1 }]
  },
  'one request in ten is heavy': {
    routes: culpritMs => ({ 'GET /items': random => random() < 0.1 ? [{ loop: 60 * culpritMs, culprit: true }, { loop: 0.5 }] : [{ loop: 0.5 }] }),
    clients: [{ route: 'GET /items', everyMs: 12 }]
  },
  'moved to the pool': {
    pool: 4,
    routes: (culpritMs, isFixed) => ({ 'GET /fast': fast, 'POST /login': random => isFixed ? [{ loop: 0.2 }, { pool: about(random, 60) }, { loop: 0.1 }] : [{ loop: about(random, 60), culprit: true }, { loop: 0.3 }] }),
    clients: [{ route: 'GET /fast', everyMs: 10 }, { route: 'POST /login', everyMs: 100 }]
  },
  'moved to a pool that is too small, closed loop': {
    pool: 2,
    routes: (culpritMs, isFixed) => ({ 'POST /login': random => isFixed ? [{ loop: 0.2 }, { pool: about(random, 30) }, { loop: 0.1 }] : [{ loop: about(random, 30), culprit: true }, { loop: 0.3 }] }),
    clients: [{ route: 'POST /login', connections: 10 }]
  },
  'half of it, where the turns are not measured': {
    scale: 0.5,
    hasTurns: false,
    routes: culpritMs => ({ 'GET /fast': fast, 'POST /login': random => [{ loop: about(random, 60) * culpritMs, culprit: true }, { loop: 0.2 }] }),
    clients: [{ route: 'GET /fast', everyMs: 10 }, { route: 'POST /login', everyMs: 200 }]
  }
}

describe('prediction', () => {
  for (const [name, { routes, clients, pool, scale = 0, hasTurns, isShared = false, isWarmedUp = false, hasOtherWork = false }] of Object.entries(SCENARIOS)) {
    it(`has the truth in its range: ${name}`, () => {
      const before = simulate({ routes: routes(1, false), clients, hasTurns, isInArrivalOrder: isShared, seconds: 60 })
      if (isWarmedUp) Object.assign(before, afterWarmUp(before))
      if (hasOtherWork) before.samples = withOtherWork(before)
      if (isShared) before.stretch.requests = onSharedConnections(before.stretch.requests)
      const after = simulate({ routes: routes(scale, true), clients, hasTurns, isInArrivalOrder: isShared, seconds: 60, seed: 2, threads: pool })
      const change = { change: culprit, scale: pool === undefined ? scale : 1, pool: pool === undefined ? null : { threads: pool, cpus: pool, others: 0 } }
      const prediction = predict({ stretches: [before.stretch], samples: before.samples, ...change })
      assert.equal(prediction.reason, null)
      for (const { route, reason, p50Ms, p95Ms } of prediction.routes) {
        assert.equal(reason, null)
        for (const [share, range] of [[0.5, p50Ms], [0.95, p95Ms]]) {
          const [was, is] = [before, after].map(({ durations }) => quantileOf(durations[route], share))
          const text = `${route} p${share * 100}: ${was.toFixed(1)} -> ${is.toFixed(1)}, predicted ${JSON.stringify(range)}`
          assert.ok(is >= range.low && is <= range.high, text)
          assert.ok(Math.abs(range.now - was) <= Math.max(5, was * 0.3), text)
        }
      }
      const isBound = clients.every(({ connections }) => connections !== undefined)
      if (isBound) assert.ok(after.perSecond <= before.perSecond * prediction.maxSpeedUp * 1.1)
    })
  }

  it('is not made of too few requests, nor where the process had no CPU, nor where its code is not seen', () => {
    const { routes, clients } = SCENARIOS['a slow handler, clients at random times']
    const { stretch, samples } = simulate({ routes: routes(1), clients })
    const question = { stretches: [stretch], samples, change: culprit, scale: 0, pool: null }
    assert.match(predict({ ...question, stretches: [{ ...stretch, requests: stretch.requests.slice(0, 20) }] }).reason, /only 20 requests/)
    assert.match(predict({ ...question, stretches: [] }).reason, /^no requests were seen/)
    const thin = Array.from({ length: 9 }, (_, index) => ({ ...stretch, requests: stretch.requests.slice(9 * index, 9 * index + 9) }))
    assert.match(predict({ ...question, stretches: thin.slice(0, 2) }).reason, /^only 18 requests/)
    assert.match(predict({ ...question, stretches: thin }).reason, /^too few requests were seen at a time/)
    assert.match(predict({ ...question, starvedShare: 0.7 }).reason, /waited 70 % of the time for a CPU/)
    assert.match(predict({ ...question, change: { isCulprit: () => false } }).reason, /do not show/)
  })

  it('is not made where the replay without the change does not give what was measured', () => {
    const { routes, clients } = SCENARIOS['a slow handler, clients at random times']
    const { stretch, samples } = simulate({ routes: routes(1), clients })
    // Each request took longer than anything that was recorded explains.
    const delayed = { ...stretch, requests: stretch.requests.map((request, index) => ({ ...request, arrivedMicros: request.arrivedMicros - 300e3, startMicros: request.startMicros - 1e3 * (index % 2 ? 0 : 300) })) }
    assert.match(predict({ stretches: [delayed], samples, change: culprit, scale: 0, pool: null }).reason, /does not give what was measured: p50 .* instead of/)
  })

  it('with less work makes no route slower than now, and none faster than the timer that it waits for', () => {
    const routes = { 'GET /timer': timer, 'GET /heavy': random => [{ loop: about(random, 60), culprit: true }, { loop: 1 }] }
    for (const seed of [1, 2, 3, 4]) {
      for (const clients of [[{ route: 'GET /timer', everyMs: 20 }, { route: 'GET /heavy', everyMs: 300 }], [{ route: 'GET /timer', everyMs: 20 }, { route: 'GET /heavy', connections: 1, thinkMs: 200 }]]) {
        const { stretch, samples } = simulate({ routes, clients, seed, seconds: 60 })
        for (const scale of [0, 0.5, 0.9, 1]) {
          const { reason, routes: predicted } = predict({ stretches: [stretch], samples, change: culprit, scale, pool: null })
          assert.equal(reason, null)
          for (const { route, p50Ms, p95Ms } of predicted) {
            for (const { now, low, expected, high } of [p50Ms, p95Ms]) {
              const text = `seed ${seed}, scale ${scale}: ${route} ${now} -> ${expected} (${low} to ${high})`
              assert.ok(low <= expected && expected <= now && expected <= high, text)
              if (route === 'GET /timer') assert.ok(low >= 49 && expected >= 49, text)
            }
          }
        }
      }
    }
  })

  it('of work that moves to the pool has no backlog that the loop did not have, where it is not known how the clients send', () => {
    const routes = isFixed => ({ 'GET /fast': fast, 'POST /login': random => isFixed ? [{ loop: 0.2 }, { pool: about(random, 36) }, { loop: 0.1 }] : [{ loop: about(random, 36), culprit: true }, { loop: 0.3 }] })
    const clients = [{ route: 'GET /fast', everyMs: 12 }, { route: 'POST /login', connections: 1 }]
    const [before, after] = [false, true].map(isFixed => simulate({ routes: routes(isFixed), clients, seconds: 30, threads: 4, isInArrivalOrder: true }))
    before.stretch.requests = onSharedConnections(before.stretch.requests)
    const prediction = predict({ stretches: [before.stretch], samples: before.samples, change: culprit, scale: 1, pool: { threads: 4, cpus: 2, others: 0 } })
    assert.equal(prediction.clients, 'unknown')
    const { p95Ms: { now, low, expected, high } } = prediction.routes.find(({ route }) => route === 'POST /login')
    const is = quantileOf(after.durations['POST /login'], 0.95)
    assert.ok(is >= low && is <= high && expected <= now && high <= now * 2, `${now} -> ${is}, predicted ${expected} (${low} to ${high})`)
  })

  it('of a whole route needs no culprit', () => {
    const { routes, clients } = SCENARIOS['a slow handler, clients at random times']
    const { stretch, samples } = simulate({ routes: routes(1), clients })
    const { routes: [first] } = predict({ stretches: [stretch], samples, change: { isRoute: 'POST /login', isCulprit: ({ route }) => route === 'POST /login' }, scale: 0, pool: null })
    assert.equal(first.route, 'GET /fast')
    assert.ok(first.p95Ms.high < first.p95Ms.now)
  })
})
