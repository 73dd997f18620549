'use strict'

// A table of processes whose requests wait, each with healthy ones that do so for a moment.

const PLACE = Object.freeze({ function: 'loadOrders', file: 'orders.js', line: 12, column: 3 })

/** 100 requests a second, each of which waits `meanMs` at its line. */
const paced = (meanMs, durationMs = 100) => ({ pace: { ms: 60_000, routes: [{ route: 'GET /orders', count: 6000, seconds: 6 * durationMs }] }, waits: [routeOf([lineOf({ meanMs, durationMs })], { durationMs })] })
const lineOf = ({ meanMs, durationMs = 100, requests = 10, ...rest }) => ({
  ...PLACE, awaited: null, via: null, resumedBy: null, calledAt: null, longest: null, together: 0, callers: [], requests, open: 0, waits: requests, ms: meanMs * requests, queuedMs: 0, poolMs: 0, turnMs: 0, sharedMs: 0, share: meanMs / durationMs, p50Ms: meanMs, p99Ms: meanMs, maxMs: meanMs, ...rest
})
const routeOf = (lines, { durationMs = 100, requests = 10, serial = [] } = {}) => ({ route: 'GET /orders', requests, open: 0, truncated: 0, totalMs: durationMs * requests, waitingMs: durationMs * requests * 0.95, unseenMs: 0, clientMs: 0, uploadMs: 0, lines, serial })
const awaiting = (parts, rest = {}) => ({ ...paced(0), waits: [routeOf([lineOf(parts)])], ...rest })
const call = (kind, operation, target, count, meanMs, errors = 0) => ({ kind, operation, target, count, errors, seconds: count * meanMs / 1e3, p50Ms: meanMs, p99Ms: meanMs * 2 })
const slow = (waits, count = 10, durationMs = 100) => Array.from({ length: count }, () => ({ at: 1_010_000, route: 'GET /orders', status: 200, durationMs, unreadMs: 0, ownMs: 1, behindMs: 0, behind: [], gcMs: 0, waitingMs: durationMs - 1, waits, waitedAt: null, traceId: null }))
const wait = (kind, operation, target, ms, errors = 0) => ({ kind, operation, target, calls: 1, errors, ms })
const behindBlocking = (rest, othersMs = 400) => awaiting({ meanMs: 90, awaited: 'ioredis' }, {
  calls: [call('redis', 'BLPOP', 'cache:6379', 50, 1000), call('redis', 'GET', 'cache:6379', 500, othersMs)], slow: slow([wait('redis', 'BLPOP', 'cache:6379', 90)]), ...rest
})

const WAITING = [
  {
    // 9 requests at a time for 2 connections.
    name: 'a pool whose client shows no more than its package, beside the connections that are open',
    id: 'small-pool',
    sick: awaiting({ meanMs: 90, awaited: 'pg-pool' }, { connections: { 5433: 2 } }),
    healthy: [awaiting({ meanMs: 90, awaited: 'pg-pool' }, { connections: { 5433: 10 } }), awaiting({ meanMs: 90, awaited: 'pg-pool', requests: 2 }, { connections: { 5433: 2 } }), awaiting({ meanMs: 90, awaited: 'pg-pool', sharedMs: 500 }, { connections: { 5433: 2 } }), awaiting({ meanMs: 90, awaited: 'pg-pool' }), awaiting({ meanMs: 90, awaited: 'pg-pool' }, { connections: { 81: 1, 82: 1 } })],
    says: /^The connection pool of pg-pool is too small: getting a connection takes 70 ms, both connections are in use, and 7 requests wait for one\./,
    where: 'loadOrders'
  },
  {
    name: 'a pool whose package is seen under another one',
    id: 'small-pool',
    sick: awaiting({ meanMs: 90, awaited: 'tarn', via: 'knex', poolMs: 600 }),
    healthy: [awaiting({ meanMs: 90, awaited: 'knex', poolMs: 100 })],
    says: /^The connection pool of knex is too small: getting a connection takes 60 ms, and 6 requests wait for one\. .*has a connection for 30 ms/,
    where: 'loadOrders'
  },
  {
    name: 'a pool whose library reports how long a connection took',
    id: 'small-pool',
    sick: awaiting({ meanMs: 90, awaited: 'mysql2' }, { connections: { 3306: 3 }, calls: [call('mysql', 'acquire', 'db:3306', 6000, 60), call('mysql', 'SELECT', 'db:3306', 6000, 30), call('mysql', 'connect', 'db:3306', 3, 20)] }),
    healthy: [awaiting({ meanMs: 90, awaited: 'mysql2' }, { connections: { 3306: 3 }, calls: [call('mysql', 'acquire', 'db:3306', 6000, 3), call('mysql', 'SELECT', 'db:3306', 6000, 60)] })],
    says: /^The connection pool of mysql db:3306 is too small: getting a connection takes 60 ms, all 3 connections are in use/,
    where: 'loadOrders'
  },
  {
    // 100 requests a second wait 90 ms, 10 of them with one of two connections: 9 at once, 1.8 of them sent.
    name: 'a pool of undici, whose calls begin with their connection',
    id: 'small-pool',
    sick: awaiting({ meanMs: 90, awaited: 'undici' }, { connections: { 80: 2 }, calls: [call('http', 'GET', 'prices:80', 6000, 18)] }),
    healthy: [
      awaiting({ meanMs: 90, awaited: 'undici' }, { connections: { 80: 10 }, calls: [call('http', 'GET', 'prices:80', 6000, 88)] }),
      awaiting({ meanMs: 90, awaited: 'undici' }, { connections: { 80: 5 }, calls: [call('http', 'GET', 'prices:80', 6000, 10)] }),
      awaiting({ meanMs: 90, awaited: 'undici' }, { connections: { 80: 2 }, calls: [call('http', 'GET', 'prices:80', 6000, 18), call('http', 'GET', 'stock:80', 6000, 60)] })
    ],
    says: /^The connection pool of undici to prices:80 is too small: getting a connection takes 72 ms, both connections are in use, and 7\.2 requests wait for one\./,
    where: 'loadOrders'
  },
  {
    name: 'an agent whose sockets are all in use: only calls that had to wait for one are reported',
    id: 'small-pool',
    sick: awaiting({ meanMs: 90, awaited: 'axios' }, { connections: { 80: 2 }, calls: [call('http', 'acquire', 'prices:80', 4000, 90), call('http', 'GET', 'prices:80', 6000, 30)], slow: slow([wait('http', 'acquire', 'prices:80', 60)]) }),
    healthy: [
      awaiting({ meanMs: 90, awaited: 'axios' }, { connections: { 80: 2 }, calls: [call('http', 'acquire', 'prices:80', 60, 20), call('http', 'GET', 'prices:80', 6000, 80)], slow: slow([wait('http', 'acquire', 'prices:80', 20)]) })
    ],
    says: /^The connection pool of the HTTP client for prices:80 is too small: getting a connection takes 60 ms, both connections are in use, and 6 requests wait for one\. A request has a connection for 30 ms/,
    where: 'loadOrders'
  },
  {
    name: 'a client of undici that sends one request after the other, which it reports',
    id: 'small-pool',
    sick: awaiting({ meanMs: 90, awaited: 'undici' }, { connections: { 80: 1 }, calls: [call('http', 'acquire', 'prices:80', 6000, 80), call('http', 'GET', 'prices:80', 6000, 10)], slow: slow([wait('http', 'acquire', 'prices:80', 80)]) }),
    // Nine at once wait for what one of them has called.
    healthy: [awaiting({ meanMs: 90, awaited: 'fetch' }, { connections: { 80: 1 }, calls: [call('http', 'GET', 'prices:80', 660, 90)] })],
    says: /^The connection pool of the HTTP client for prices:80 is too small: getting a connection takes 80 ms, its only connection is in use/,
    where: 'loadOrders'
  },
  {
    name: 'commands behind one that blocks their connection',
    id: 'small-pool',
    sick: behindBlocking({ connections: { 6379: 1 } }),
    healthy: [
      behindBlocking({ connections: { 6379: 2 } }),
      behindBlocking({ connections: {} }),
      behindBlocking({ connections: { 6379: 1 } }, 2)
    ],
    says: /^BLPOP holds the only connection to redis cache:6379: other commands take 400 ms, because they wait behind it\. 50 BLPOP calls of 1(\.0)? s, 500 GET calls of 400 ms\. BLPOP is called at loadOrders \(orders\.js:12\)\./,
    where: 'loadOrders'
  },
  {
    name: 'lookups',
    id: 'slow-dns',
    sick: awaiting({ meanMs: 90, awaited: 'fetch' }, { calls: [call('dns', 'lookup', 'prices', 3000, 100)], slow: slow([wait('dns', 'lookup', 'prices', 60)]), process: { waitsFor: { GetAddrInfoReqWrap: 4 } } }),
    healthy: [
      awaiting({ meanMs: 90, awaited: 'fetch' }, { calls: [call('dns', 'lookup', 'prices', 3000, 2)], slow: slow([wait('dns', 'lookup', 'prices', 2)]) }),
      awaiting({ meanMs: 90, awaited: 'fetch' }, { calls: [call('dns', 'lookup', 'prices', 10, 100)], slow: slow([wait('dns', 'lookup', 'prices', 60)], 3) })
    ],
    says: /^DNS is slow: looking up prices takes 100 ms, 50 % of the time of GET \/orders\. 3000 lookups.*libuv's pool until the name server has answered: the 2 of 4 that lookups may have, and further lookups queue\./,
    where: 'loadOrders'
  },
  {
    name: 'lookups of the application itself',
    id: 'slow-dns',
    sick: awaiting({ meanMs: 50, awaited: 'dns' }),
    healthy: [awaiting({ meanMs: 5, awaited: 'dns' })],
    says: /^DNS is slow: looking up a name takes 50 ms, 50 % of the time of GET \/orders\. Requests wait at loadOrders/,
    where: 'loadOrders'
  },
  {
    name: 'a connection for each call',
    id: 'no-keep-alive',
    sick: awaiting({ meanMs: 90, awaited: 'fetch' }, { calls: [call('net', 'connect', 'prices:80', 5900, 5), call('http', 'GET', 'prices:80', 3000, 80), call('http', 'POST', 'prices:80', 3000, 80)], slow: slow([wait('http', 'GET', 'prices:80', 80)]) }),
    healthy: [
      awaiting({ meanMs: 90 }, { calls: [call('net', 'connect', 'prices:80', 100, 5), call('http', 'GET', 'prices:80', 6000, 80)] }),
      awaiting({ meanMs: 90 }, { calls: [call('net', 'connect', 'prices:80', 15, 5), call('http', 'GET', 'prices:80', 15, 80)] }),
      awaiting({ meanMs: 90 }, { calls: [call('net', 'connect', 'db:5432', 30, 5)], slow: slow([wait('net', 'connect', 'db:5432', 5)]) })
    ],
    says: /^Connections to prices:80 are not kept alive: each http call opens a new one \(5900 connections for 6000 http calls\)\. Opening one takes 5 ms/,
    where: 'loadOrders'
  },
  {
    name: 'a connection for each request, of a library that reports nothing',
    id: 'no-keep-alive',
    sick: awaiting({ meanMs: 90, awaited: 'pg' }, { calls: [call('net', 'connect', 'db:5432', 5900, 5)], slow: slow([wait('net', 'connect', 'db:5432', 5)]) }),
    healthy: [],
    says: /^Connections to db:5432 are not kept alive: each request opens a new one/,
    where: 'loadOrders'
  },
  {
    name: 'a timer',
    id: 'timer-wait',
    sick: awaiting({ meanMs: 80, awaited: 'timer' }),
    healthy: [awaiting({ meanMs: 40, awaited: 'timer' }), { ...paced(0, 10), waits: [routeOf([lineOf({ meanMs: 8, durationMs: 10, awaited: 'node:timers/promises' })], { durationMs: 10 })] }],
    says: /^GET \/orders waits for a timer 80 % of its time\. loadOrders \(orders\.js:12\) waits 80 ms for timers/,
    where: 'loadOrders'
  },
  {
    name: 'pauses between attempts',
    id: 'timer-wait',
    sick: awaiting({ meanMs: 80, awaited: 'node:timers/promises', waits: 30 }, { slow: slow([wait('http', 'GET', 'prices:80', 10, 3)]) }),
    healthy: [],
    says: /^GET \/orders spends 80 % of its time in pauses between attempts: http GET prices:80 fails 30 times in 10 requests\. .*in 3 waits/,
    where: 'loadOrders'
  },
  {
    // 15 of the 80 ms are the attempts.
    name: 'pauses between the attempts of a package',
    id: 'timer-wait',
    sick: awaiting({ meanMs: 80, awaited: 'got' }, { slow: slow([{ ...wait('http', 'GET', 'prices:80', 15, 3), calls: 3 }]) }),
    healthy: [
      awaiting({ meanMs: 80, awaited: 'got' }, { slow: slow([{ ...wait('http', 'GET', 'prices:80', 75, 3), calls: 3 }]) }),
      awaiting({ meanMs: 80, awaited: 'got' }, { slow: slow([wait('http', 'GET', 'prices:80', 15, 1)]) }),
      awaiting({ meanMs: 80, awaited: 'pg' }, { slow: slow([{ ...wait('http', 'GET', 'prices:80', 15, 3), calls: 3 }]) })
    ],
    says: /^GET \/orders spends 65 % of its time in pauses between attempts: http GET prices:80 fails 30 times in 10 requests\. loadOrders \(orders\.js:12\) waits 65 ms/,
    where: 'loadOrders'
  },
  {
    // 100 requests a second, each with three attempts of 5 ms, of which two fail: 15 of 80 ms.
    name: 'pauses between attempts that are made for no request, where nothing else calls anything',
    id: 'timer-wait',
    sick: awaiting({ meanMs: 80, awaited: 'undici' }, { calls: [call('http', 'GET', 'prices:80', 18_000, 5, 12_000)], slow: slow([wait('http', 'GET', 'prices:80', 5, 1)]) }),
    healthy: [
      awaiting({ meanMs: 80, awaited: 'undici' }, { calls: [call('http', 'GET', 'prices:80', 18_000, 5)] }),
      awaiting({ meanMs: 80, awaited: 'undici' }, { calls: [call('http', 'GET', 'prices:80', 6000, 80, 6000)] }),
      awaiting({ meanMs: 80, awaited: 'undici' }, { calls: [call('http', 'GET', 'prices:80', 18_000, 5, 12_000), call('http', 'POST', 'stock:80', 60, 5)] })
    ],
    says: /^GET \/orders spends 65 % of its time in pauses between attempts: http GET prices:80 fails 12000 times in 6000 requests\. loadOrders \(orders\.js:12\) waits 65 ms/,
    where: 'loadOrders'
  },
  {
    name: 'the pause before the second attempt of a package, which succeeds',
    id: 'timer-wait',
    sick: awaiting({ meanMs: 80, awaited: 'undici' }, { slow: slow([{ ...wait('http', 'GET', 'prices:80', 15, 1), calls: 2 }]) }),
    healthy: [
      awaiting({ meanMs: 80, awaited: 'undici' }, { slow: slow([{ ...wait('http', 'GET', 'prices:80', 15, 0), calls: 2 }]) }),
      awaiting({ meanMs: 80, awaited: 'undici' }, { slow: slow([wait('http', 'GET', 'prices:80', 15, 1)]) })
    ],
    says: /^GET \/orders spends 65 % of its time in pauses between attempts: http GET prices:80 fails 10 times in 10 requests\./,
    where: 'loadOrders'
  },
  {
    name: 'a lock',
    id: 'lock-wait',
    sick: awaiting({ meanMs: 80, resumedBy: { ...PLACE, function: 'release', line: 30 } }),
    healthy: [awaiting({ meanMs: 80 }), awaiting({ meanMs: 10, resumedBy: { ...PLACE, function: 'release', line: 30 } })],
    says: /^GET \/orders waits 80 % of its time for a lock or queue of the application, at loadOrders \(orders\.js:12\)\. .*at release \(orders\.js:30\); 8 requests stand in line/,
    where: 'loadOrders'
  },
  {
    // 20 of the 80 ms are the work itself.
    name: 'a queue of a package',
    id: 'lock-wait',
    sick: awaiting({ meanMs: 80, awaited: 'p-queue', turnMs: 600 }),
    healthy: [awaiting({ meanMs: 80, awaited: 'p-queue' }), awaiting({ meanMs: 80, awaited: 'p-queue', turnMs: 200 })],
    says: /^GET \/orders waits 60 % of its time for its turn in p-queue, at loadOrders \(orders\.js:12\)\. It waits 60 ms on average until other work.*; 6 requests stand in line/,
    where: 'loadOrders'
  },
  {
    name: 'a lock of a database',
    id: 'lock-wait',
    sick: awaiting({ meanMs: 80, awaited: 'pg', via: 'knex', turnMs: 700 }),
    healthy: [awaiting({ meanMs: 80, awaited: 'pg', via: 'knex' }), awaiting({ meanMs: 80, awaited: 'pg', turnMs: 800 }, { connections: { 5432: 2 } })],
    says: /^GET \/orders waits 70 % of its time for a lock of the database \(knex\), at loadOrders \(orders\.js:12\)\. It waits 70 ms on average until another request has ended its transaction.*; 7 requests stand in line/,
    where: 'loadOrders'
  },
  {
    name: 'a chain of promises',
    id: 'lock-wait',
    sick: awaiting({ meanMs: 80, turnMs: 800 }),
    healthy: [awaiting({ meanMs: 80 })],
    says: /^GET \/orders waits 80 % of its time for its turn behind other requests, at loadOrders \(orders\.js:12\)\. It waits 80 ms on average/,
    where: 'loadOrders'
  },
  {
    name: 'calls of a database that are made together',
    id: 'many-calls',
    sick: awaiting({ meanMs: 80, awaited: 'pg-promise', together: 29.8, longest: { ...PLACE, function: 'booksOf', line: 14 } }),
    healthy: [awaiting({ meanMs: 80, awaited: 'pg-promise', together: 4 }), awaiting({ meanMs: 40, awaited: 'pg-promise', together: 30 }), awaiting({ meanMs: 80, awaited: 'ioredis', together: 30 })],
    says: /^GET \/orders makes 29\.8 calls of pg-promise in each request: 80 ms, 80 % of its time\. They are awaited at loadOrders \(orders\.js:12\), and made at booksOf \(orders\.js:14\)\.$/,
    where: 'loadOrders'
  },
  {
    name: 'awaits in a row',
    id: 'serial-awaits',
    sick: { ...paced(0), waits: [routeOf([lineOf({ meanMs: 30 })], { serial: [{ ...PLACE, function: 'order', awaits: 3, maxAwaits: 4, requests: 10, ms: 900 }] })] },
    healthy: [
      { ...paced(0), waits: [routeOf([lineOf({ meanMs: 30 })], { serial: [{ ...PLACE, awaits: 2, maxAwaits: 2, requests: 10, ms: 900 }] })] },
      { ...paced(0), waits: [routeOf([lineOf({ meanMs: 30 })], { serial: [{ ...PLACE, awaits: 5, maxAwaits: 5, requests: 10, ms: 200 }] })] }
    ],
    says: /^GET \/orders awaits 3 times in a row in order \(orders\.js:12\): 90 ms, 90 % of its time\./,
    where: 'order'
  }
]

module.exports = { WAITING, lineOf, routeOf }
