'use strict'

// What is said of requests that wait: for a connection, a name server, a timer, a lock, one thing after the other; and not of those that do so for a moment.

const test = require('node:test')
const assert = require('node:assert/strict')
const { findFindings } = require('../../lib/observer/findings/find-findings')
const { slowElsewhere } = require('../../lib/observer/findings/detectors/slow-routes')
const { readings } = require('./readings')
const { WAITING, lineOf, routeOf } = require('./waiting')

const find = (changes, id) => findFindings(readings(changes), { appName: 'shop' }).findings.find(finding => finding.id === id)

for (const { name, id, sick, healthy, says, where } of WAITING) {
  test(`${id}, ${name}: it is said with its figures, and not where there is less of it`, () => {
    const found = find(sick, id)
    assert.ok(found, JSON.stringify(findFindings(readings(sick), { appName: 'shop' }).findings, null, 1))
    assert.match(`${found.title} ${found.what}`, says)
    assert.deepEqual([found.where?.function, found.where?.route], [where, 'GET /orders'])
    assert.equal(found.severity, ['serial-awaits', 'many-calls'].includes(id) ? 'info' : 'warning')
    assert.ok(found.lostMs > 0 && found.share > 0 && found.share <= 1)
    for (const changes of healthy) assert.equal(find(changes, id), undefined)
    const unlike = { ...sick, waits: sick.waits.map(route => ({ ...route, totalMs: route.totalMs * 4 })), slow: [], calls: [], connections: {} }
    assert.equal(find(unlike, id), undefined, 'the sampled requests were the first ones')
    const few = { ...sick, waits: sick.waits.map(route => ({ ...route, requests: 2 })), slow: [], calls: [], connections: {} }
    assert.equal(find(few, id), undefined, 'two requests show nothing')
  })
}

test('a pool whose client is used by something built on it has the line at which that is awaited', () => {
  const { sick } = WAITING.find(({ name }) => name === 'a pool whose library reports how long a connection took')
  const inside = lineOf({ meanMs: 1, awaited: 'mysql2', function: 'BaseConnection', file: 'node_modules/mysql2/lib/base/connection.js' })
  const lines = [inside, lineOf({ meanMs: 80, awaited: 'typeorm' })]
  const at = slow => find({ ...sick, waits: [routeOf(lines)], slow }, 'small-pool').where
  const waited = [{ at: 1_010_000, route: 'GET /orders', durationMs: 100, waits: [{ kind: 'mysql', operation: 'acquire', target: 'db:3306', calls: 1, errors: 0, ms: 60 }] }]
  assert.equal(at(waited).function, 'loadOrders')
  assert.equal(at([]), null, 'which route waits for it is not known')
})

test('a route that people notice, and is not slow, is a note where nothing is slower, and nothing else is said of it', () => {
  const asked = (meanMs, rest) => find({ pace: { ms: 60_000, routes: [{ route: 'GET /orders', count: 600, seconds: 0.6 * meanMs }] }, waits: [routeOf([lineOf({ meanMs: meanMs - 5, durationMs: meanMs, awaited: 'fetch', ...rest })], { durationMs: meanMs })] }, 'slow-elsewhere')
  assert.deepEqual([asked(250).severity, asked(550).severity, asked(150)], ['info', 'warning', undefined])
  assert.match(asked(250).what, /at loadOrders \(orders\.js:12\), for fetch/)
  assert.equal(asked(250, { awaited: 'timer' }), undefined)
})

test('lookups that queue are told by one sampled request, as few end', () => {
  const asked = lookups => {
    const pace = { ms: 60_000, routes: [{ route: 'GET /orders', count: 40, seconds: 193 }] }
    const waits = [routeOf([lineOf({ meanMs: 4900, durationMs: 5000, requests: 1, awaited: 'node:dns/promises' })], { durationMs: 5000, requests: 1 })]
    return find({ pace, waits, process: { waitsFor: { GetAddrInfoReqWrap: lookups } } }, 'slow-dns')
  }
  const { title, what, where } = asked(1200)
  assert.match(title, /^DNS is slow: looking up a name takes 4\.8 s, 100 % of the time of GET \/orders\.$/)
  assert.match(what, /the 2 of 4 that lookups may have, and further lookups queue\. Requests wait at loadOrders \(orders\.js:12\)/)
  assert.equal(where.function, 'loadOrders')
  assert.equal(asked(3), undefined)
})

test('a route that is slow elsewhere is so beside a loop that waits for a CPU now and then, and where each wait is far longer than the loop is late', () => {
  const waiting = (line, p99Ms) => readings({ pace: { ms: 60_000, routes: [{ route: 'GET /orders', count: 600, seconds: 540 }] }, waits: [routeOf([lineOf({ durationMs: 900, ...line })], { durationMs: 900 })], process: { delay: { p50Ms: 20, p99Ms, maxMs: 500 } } })
  const isFound = (line, p99Ms, starvedShare) => slowElsewhere.find(waiting(line, p99Ms), [{ id: 'starved', share: starvedShare }]).length === 1
  assert.equal(isFound({ meanMs: 600 }, 300, 0.1), true)
  assert.equal(isFound({ meanMs: 600 }, 200, 0.4), false, 'they also wait elsewhere')
  assert.equal(isFound({ meanMs: 800 }, 200, 0.4), true)
  assert.equal(isFound({ meanMs: 800 }, 300, 0.4), false)
  assert.equal(isFound({ meanMs: 800, waits: 100 }, 200, 0.4), false, 'each of ten waits may be that late')
})

test('of several lookups in a request each counts', () => {
  const found = waits => find({ pace: { ms: 60_000, routes: [{ route: 'GET /orders', count: 6000, seconds: 600 }] }, waits: [routeOf([lineOf({ meanMs: 60, awaited: 'dns', waits })])] }, 'slow-dns')
  assert.match(found(20).title, /looking up a name takes 30 ms, 60 % of the time/)
  assert.equal(found(60), undefined, 'ten milliseconds each')
})

test('a queue before a database is no lock of the database', () => {
  const route = { pace: { ms: 60_000, routes: [{ route: 'GET /orders', count: 600, seconds: 60 }] } }
  const { title, instead } = find({ ...route, waits: [routeOf([lineOf({ meanMs: 80, awaited: 'pg', via: 'p-queue', turnMs: 600 })])] }, 'lock-wait')
  assert.match(title, /for its turn in p-queue/)
  assert.match(instead, /^let more through at a time \(or in a second, where it limits the rate\)/)
})

test('connections that take next to nothing of the requests are a hint, unless there are very many', () => {
  const { sick } = WAITING.find(({ id }) => id === 'no-keep-alive')
  const severityOf = connectMs => find({ ...sick, calls: sick.calls.map(call => call.kind === 'net' ? { ...call, seconds: call.count * connectMs / 1e3 } : call) }, 'no-keep-alive').severity
  assert.equal(severityOf(5), 'warning')
  assert.equal(severityOf(0.2), 'warning', '98 a second')
  const fewer = { ...sick, pace: { ms: 60_000, routes: [{ route: 'GET /orders', count: 600, seconds: 60 }] }, calls: sick.calls.map(call => ({ ...call, count: call.count / 10, seconds: call.seconds / 10 })) }
  assert.equal(find(fewer, 'no-keep-alive').severity, 'warning')
  assert.equal(find({ ...fewer, pace: { ms: 60_000, routes: [{ route: 'GET /orders', count: 600, seconds: 600 }] }, waits: [] }, 'no-keep-alive').severity, 'info')
})

test('one client for all requests is no pool', () => {
  const { sick } = WAITING.find(({ id }) => id === 'small-pool')
  const adviceFor = (awaited, count) => find({ ...sick, connections: { 5433: count }, waits: sick.waits.map(route => ({ ...route, lines: [lineOf({ meanMs: 90, awaited })] })) }, 'small-pool').instead
  assert.match(adviceFor('pg', 1), /^use a pool, where it is one client for all requests; give connections back sooner/)
  for (const pool of [adviceFor('pg', 2), adviceFor('pg-pool', 1), adviceFor('mongodb', 2)]) assert.match(pool, /^give connections back sooner/)
})

test('a pool that is used at other lines than it is waited for: how long is not known', () => {
  const { what, instead } = find(WAITING[1].sick.waits.map(route => ({ ...WAITING[1].sick, waits: [{ ...route, lines: [lineOf({ meanMs: 90, awaited: 'generic-pool', poolMs: 900 })] }] }))[0], 'small-pool')
  assert.match(what, /^GET \/orders waits 90 % of its time at loadOrders/)
  assert.match(instead, /\(option max\)/)
})

test('a client of MongoDB watches its servers by connections of its own: of how many the pool has, nothing is said', () => {
  const { sick } = WAITING.find(({ id }) => id === 'small-pool')
  const poolOf = open => find({ ...sick, connections: { 27018: open }, waits: sick.waits.map(route => ({ ...route, lines: [lineOf({ meanMs: 90, awaited: 'mongodb' })] })) }, 'small-pool')
  assert.match(poolOf(4).title, /^The connection pool of mongodb is too small: getting a connection takes 70 ms, all its connections are in use, and/)
  assert.deepEqual([poolOf(4).evidence.connections, poolOf(20)], [null, undefined])
})

test('queries of one connection cannot be made together', () => {
  const { sick } = WAITING.find(({ id }) => id === 'serial-awaits')
  const adviceFor = awaited => find({ ...sick, waits: sick.waits.map(route => ({ ...route, lines: [lineOf({ meanMs: 90, function: 'order', awaited })] })) }, 'serial-awaits').instead
  assert.match(adviceFor('pg'), /^make fewer queries/)
  assert.match(adviceFor('pg-pool'), /^start what is independent together/)
})

test('what is called in each round has the line of the innermost function that waits', () => {
  const { sick } = WAITING.find(({ id }) => id === 'serial-awaits')
  const place = { ...lineOf({ meanMs: 90 }), function: 'order' }
  const inner = lineOf({ meanMs: 90, function: 'find', line: 3, waits: 50, awaited: 'pg-pool', callers: [place] })
  const { what, instead } = find({ ...sick, waits: sick.waits.map(route => ({ ...route, lines: [inner] })) }, 'serial-awaits')
  assert.match(`${what} ${instead}`, /, 5 times at find \(orders\.js:3\)\. fetch all with one call/)
})

test('a route that is slow elsewhere is not said again, and says what was not seen', () => {
  const pace = { pace: { ms: 60_000, routes: [{ route: 'GET /orders', count: 600, seconds: 540 }] } }
  const sampled = (lines, unseenMs = 0) => ({ ...pace, waits: [{ ...routeOf(lines, { durationMs: 900 }), unseenMs }] })
  assert.equal(find(sampled([lineOf({ meanMs: 800, durationMs: 900, awaited: 'timer' })]), 'slow-elsewhere'), undefined)
  assert.match(find(sampled([], 8000), 'slow-elsewhere').what, /In 10 sampled requests no await of the application was seen for 94 % of that time: it waits for callbacks, events or streams\./)
  const truncated = sampled([], 8000)
  truncated.waits[0].truncated = 3
  assert.match(find(truncated, 'slow-elsewhere').what, /seen for 94 % of that time: 3 of them had too many promises at once/)
  const rounds = sampled([lineOf({ meanMs: 800, durationMs: 900, waits: 200 })])
  const many = find(rounds, 'slow-elsewhere')
  assert.match(`${many.what} ${many.instead}`, /at loadOrders \(orders\.js:12\), 20 times each\. .*fetches with 20 awaits \(an N\+1 query\)$/)
  rounds.waits[0].serial = [{ ...rounds.waits[0].lines[0], awaits: 20, maxAwaits: 20, requests: 10, ms: 7000 }]
  assert.match(find(rounds, 'slow-elsewhere').instead, /\(an N\+1 query\), or run the calls in parallel$/)
  const toClients = find({ ...pace, waits: [{ ...routeOf([lineOf({ meanMs: 800, durationMs: 900, awaited: 'node:stream/promises' })], { durationMs: 900 }), clientMs: 7000 }] }, 'slow-elsewhere')
  assert.match(`${toClients.what} ${toClients.instead}`, /For 82 % of it the client had not read yet what was sent\. .*send less/)
  const fromClients = find({ ...pace, waits: [{ ...routeOf([], { durationMs: 900 }), unseenMs: 8500, uploadMs: 8000 }] }, 'slow-elsewhere')
  assert.match(`${fromClients.what} ${fromClients.instead}`, /For 94 % of it the client had not sent all of its request yet\. .*let a proxy receive the whole request/)
  const called = { function: 'find', file: 'repository.js', line: 3, column: 9 }
  assert.match(find(sampled([lineOf({ meanMs: 800, durationMs: 900, awaited: 'pg-pool', calledAt: called })]), 'slow-elsewhere').what, /at loadOrders \(orders\.js:12\), for pg-pool, called at find \(repository\.js:3\)\./)
  const uneven = rest => find(sampled([lineOf({ meanMs: 800, durationMs: 900, awaited: 'pg', p50Ms: 6, p99Ms: 3000, maxMs: 3200, ...rest })]), 'slow-elsewhere').what
  assert.match(uneven(), /, for pg\. Half of them wait 6 ms there, the longest 3\.2 s: what is slow is not the statement itself, but what it waits for, such as a lock/)
  for (const rest of [{ p50Ms: 500 }, { awaited: 'fetch' }]) assert.doesNotMatch(uneven(rest), /Half of them/)
  const two = ['loadUser', 'loadOrders'].map(name => lineOf({ meanMs: 400, durationMs: 900, function: name, awaited: 'fetch' }))
  assert.match(find(sampled(two), 'slow-elsewhere').what, /They wait at several lines: loadUser \(orders\.js:12\) 47 % for fetch, loadOrders \(orders\.js:12\) 47 % for fetch\./)
})

test('requests that wait for many seconds at once are long polls: no warning, and what else is slow comes first', () => {
  const route = (name, line, durationMs) => ({ ...routeOf([lineOf({ meanMs: durationMs - 10, durationMs, ...line })], { durationMs }), route: name })
  const pace = routes => ({ ms: 60_000, routes: routes.map(([name, ms]) => ({ route: name, count: 60, seconds: 0.06 * ms })) })
  for (const [id, awaited] of [['slow-elsewhere', null], ['slow-elsewhere', 'node:events'], ['timer-wait', 'timer']]) {
    const poll = find({ pace: pace([['GET /poll', 8000]]), waits: [route('GET /poll', { awaited }, 8000)] }, id)
    assert.equal(poll.severity, 'info')
    assert.match(poll.instead, /Where it is a long poll, .*nothing is wrong$/)
    assert.equal(find({ pace: pace([['GET /poll', 2000]]), waits: [route('GET /poll', { awaited }, 2000)] }, id).severity, 'warning')
    assert.equal(find({ pace: pace([['GET /poll', 8000]]), waits: [route('GET /poll', { awaited, waits: 50 }, 8000)] }, id).severity, 'warning', 'many pauses')
    const few = find({ pace: pace([['GET /poll', 8000]]), waits: [{ ...route('GET /poll', { awaited, requests: 4 }, 8000), requests: 4, waitingMs: 32_000 }] }, 'slow-elsewhere')
    assert.match(few.instead, /Where it is a long poll, .*nothing is wrong$/)
  }
  const both = find({ pace: pace([['GET /poll', 8000], ['GET /orders', 900]]), waits: [route('GET /poll', {}, 8000), route('GET /orders', { awaited: 'fetch' }, 900)] }, 'slow-elsewhere')
  assert.deepEqual([both.where.route, both.severity], ['GET /orders', 'warning'])
})

test('quick commands of Redis wait for long ones', () => {
  const route = { pace: { ms: 60_000, routes: [{ route: 'GET /orders', count: 600, seconds: 420 }] } }
  const waited = { at: 1_010_000, route: 'GET /orders', status: 200, durationMs: 700, unreadMs: 0, ownMs: 1, behindMs: 0, behind: [], gcMs: 0, waitingMs: 699, waitedAt: null, traceId: null }
  const slow = Array.from({ length: 10 }, () => ({ ...waited, waits: [{ kind: 'redis', operation: 'GET', target: 'cache:6379', calls: 1, errors: 0, ms: 690 }] }))
  const call = (operation, target = 'cache:6379') => ({ kind: 'redis', operation, target, count: 100, errors: 0, seconds: 70, p50Ms: 700, p99Ms: 700 })
  const advice = calls => find({ ...route, slow, calls }, 'slow-elsewhere').instead
  assert.match(advice([call('GET'), call('EVAL')]), /^look at what Redis itself does \(SLOWLOG GET\): .* such as EVAL may be \(100 calls of 700 ms here\)/)
  assert.match(advice([call('GET'), call('EVAL', 'other:6379')]), /^look at redis GET cache:6379 itself/)
})

test('what to look at depends on what is awaited where a route is slow elsewhere', () => {
  const pace = { pace: { ms: 60_000, routes: [{ route: 'GET /orders', count: 600, seconds: 540 }] } }
  const of = line => {
    const { what, instead } = find({ ...pace, waits: [routeOf([lineOf({ meanMs: 800, durationMs: 900, ...line })], { durationMs: 900, requests: 4 })] }, 'slow-elsewhere')
    return `${what} ${instead}`
  }
  assert.match(of({ awaited: 'pg-pool', via: 'drizzle-orm' }), /look at the statements of loadOrders \(orders\.js:12\): their plan .*given back on every path/)
  assert.match(of({ awaited: 'Promise.all', longest: { function: 'prices', file: 'prices.js', line: 4, column: 1 } }), /for Promise\.all, in which prices \(prices\.js:4\) takes longest\./)
  assert.match(of({ awaited: 'nodemailer' }), /awaits: how long the other side takes, whether its answer can be cached/)
  assert.match(of({ awaited: 'nodemailer', waits: 20 }), /awaits; run in parallel what is awaited one after the other/)
  assert.match(of({ awaited: 'nodemailer' }), /look at what loadOrders \(orders\.js:12\) awaits.*connection pools$/)
  assert.match(of({ file: 'node_modules/express-slow-down/index.js', awaited: 'timers' }), /look at why express-slow-down waits there, as a middleware/)
  assert.match(of({ awaited: 'pg', together: 30 }), /fetches with 30 calls at a time \(an N\+1 query\)$/)
  assert.match(of({ awaited: 'pg', together: 3 }), /look at the statements/)
  assert.match(of({ awaited: 'node:events' }), /Where it is a long poll.* nothing is wrong$/)
  assert.match(of({ awaited: 'pg-pool', sharedMs: 5000 }), /at loadOrders \(orders\.js:12\), for pg-pool, several of them for one result\./)
  const release = { function: 'release', file: 'lock.js', line: 30, column: 3 }
  assert.match(of({ resumedBy: release }), /at loadOrders \(orders\.js:12\), until release \(lock\.js:30\) lets them go on\. .*look at what lets it go on, release \(lock\.js:30\)/)
})

test('a full pool is told with the lines that fill it, what computes first', () => {
  const line = more => ({ function: 'login', file: 'auth.js', line: 5, column: 3, awaited: 'crypto', via: null, resumedBy: null, poolMs: 0, turnMs: 0, sharedMs: 0, callers: [], requests: 9, waits: 9, ms: 900, queuedMs: 0, share: 0.8, p50Ms: 100, p99Ms: 100, maxMs: 100, ...more })
  const route = (route, lines) => ({ route, requests: 9, open: 0, truncated: 0, totalMs: 9000, waitingMs: 9000, unseenMs: 0, clientMs: 0, uploadMs: 0, lines, serial: [] })
  const pace = { ms: 60_000, routes: [{ route: 'POST /login', count: 90, seconds: 90 }, { route: 'GET /file', count: 900, seconds: 900 }] }
  const waits = [route('POST /login', [line()]), route('GET /file', [line({ function: 'sendFile', file: 'files.js', line: 9, awaited: 'node:fs/promises' })])]
  const pool = { queued: 30, maxWaitMs: 700 }
  const threads = { ms: 60_000, workerMs: 0, poolMs: 110_000, peak: 0, isPoolApart: true, busiest: [], watched: [] }
  const asked = more => find({ pool, pace, waits, ...more }, 'pool-full')
  const computing = asked({ threads })
  assert.deepEqual([computing.where?.function, computing.where?.route], ['login', 'POST /login'])
  assert.match(computing.what, /used 183 % of a CPU.*POST \/login 80 % of its time at login \(auth\.js:5\) for crypto; GET \/file 80 % of its time at sendFile/)
  assert.match(computing.instead, /^do less of what computes at once/)
  const waiting = asked({ threads: { ...threads, poolMs: 2000 } })
  assert.equal(waiting.where?.function, 'sendFile')
  assert.match(waiting.instead, /^set UV_THREADPOOL_SIZE/)
})
