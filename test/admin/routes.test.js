'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { gunzipSync } = require('node:zlib')
const { IN_FLIGHT, createSubject, unavailable, SLOW, STALL, TOKENS } = require('./subject')
const { errors } = require('../../lib/base/errors')
const { createRoutes } = require('../../lib/observer/admin/routes')
const { craft, withRoutes } = require('../fixtures/profiles/profiles')

test('the index lists the routes for programs, with links that begin where it is mounted', async t => {
  const { ask } = createSubject(t)
  const { value } = await ask('/', { base: '/ops' })
  assert.equal(value.facts.appName, 'shop')
  assert.deepEqual(value._links.stalls, { href: '/ops/stalls', title: 'the last stalls, and totals by cause and route' })
  for (const { href } of Object.values(value._links)) assert.notEqual((await ask(href.slice('/ops'.length))).status, 404, href)
})

test('what can be read without knowing a name is in the index; pprof has one of its own', () => {
  const [, ...others] = createRoutes()
  const readable = others.filter(({ path, methods, isPprof }) => 'GET' in methods && !path.includes(':') && !isPprof)
  assert.deepEqual(readable.filter(({ title }) => title === undefined), [])
})

test('metrics are those of the registry, and how long the loop is stuck', async t => {
  const { ask } = createSubject(t, { sources: { loopNow: () => ({ blockedMs: 2500 }) } })
  const { status, body, headers } = await ask('/metrics')
  assert.equal(status, 200)
  assert.match(headers['Content-Type'], /^text\/plain; version=0\.0\.4/)
  assert.match(body, /^a 1$/m)
  assert.match(body, /^loopscope_eventloop_blocked_now_seconds 2\.5$/m)
})

test('what is added to OpenMetrics stands before its end', async t => {
  const ask = async () => ({ value: { contentType: 'application/openmetrics-text; version=1.0.0', text: '# TYPE a counter\na_total 1\n# EOF\n' }, at: 5, isStale: true })
  const subject = createSubject(t, { sources: { ask } })
  const { body, headers } = await subject.ask('/metrics')
  assert.ok(body.endsWith('loopscope_eventloop_blocked_now_seconds 0\n# EOF\n'))
  assert.equal(headers['X-Loopscope-Stale-Since'], new Date(5).toISOString())
})

test('before the main thread has answered, the observer\'s own data is served', async t => {
  const { ask } = createSubject(t, { sources: { ask: async () => unavailable(), loopNow: () => ({ blockedMs: 900 }) } })
  const loop = await ask('/loop')
  assert.deepEqual([loop.value.delay, loop.value.requests, loop.value.blockedMs, loop.value.isStale], [null, { answered: 7, inFlight: 2 }, 900, true])
  assert.match((await ask('/metrics')).body, /blocked_now_seconds 0\.9/)
})

test('slow requests are those that were handed over, with how fresh they are', async t => {
  const { ask } = createSubject(t, { sources: { slowRequests: async () => ({ isStale: true, at: 5, requests: [SLOW] }) } })
  assert.deepEqual((await ask('/slow-requests')).value, { isStale: true, at: 5, requests: [SLOW] })
  assert.match((await ask('/slow-requests?format=text')).body, /^the event loop is blocked[^]*GET \/fast 200/)
})

test('the requests under way are given as data and as text', async t => {
  const { ask } = createSubject(t)
  assert.deepEqual((await ask('/requests')).value, IN_FLIGHT)
  assert.deepEqual((await ask('/requests?format=text')).body.split('\n').map(line => line.trim()), [
    '3 requests under way; 1 upgraded connection; the event loop has been blocked for 350 ms by POST /login: pbkdf2Sync called by checkPassword (app.js:8)',
    '5200 ms GET /orders/:id: waiting for redis GET 127.0.0.1:6379 for 5100 ms; its client is gone',
    '400 ms GET (route not known yet): waiting for the event loop',
    '360 ms POST /login: running pbkdf2Sync called by checkPassword (app.js:8)',
    ''
  ])
})

test('stalls come with totals, up to the requested number', async t => {
  const { ask } = createSubject(t, { sources: { stalls: () => ({ stalls: [STALL, STALL, STALL], current: null, totals: { count: 3 } }) } })
  assert.equal((await ask('/stalls?limit=2')).value.stalls.length, 2)
  assert.equal((await ask('/stalls')).value.totals.count, 3)
  for (const limit of ['0', '201', '-1', '1.5', 'x', '', '1e2']) assert.equal((await ask(`/stalls?limit=${limit}`)).status, 400, limit)
})

test('a CPU profile is given in every format, and no file is written', async t => {
  const { ask, store } = createSubject(t)
  const expected = { cpuprofile: /^\{"nodes"/, pprof: null, flamegraph: /^<!doctype html>/i, text: /^CPU profile of shop/, graph: /^\{"unit":"time","frames"/ }
  for (const [format, start] of Object.entries(expected)) {
    const { status, body } = await ask(`/cpu?last=5&format=${format}`)
    assert.equal(status, 200, format)
    if (start !== null) assert.match(String(Buffer.from(body)), start)
    else assert.ok(gunzipSync(body).length > 0)
  }
  assert.deepEqual(store.list(), [])
})

test('the time range is the requested one', async t => {
  const wanted = []
  const subject = createSubject(t)
  const { view } = subject.sources
  subject.sources.view = async times => { wanted.push(times); return view(times) }
  const before = Date.now()
  for (const query of ['', '?last=5', '?seconds=2', '?last=1&seconds=1', `?from=${before - 9000}&to=${before - 4000}`]) assert.equal((await subject.ask(`/cpu${query}`)).status, 200)
  assert.deepEqual(wanted.map(({ fromMs, toMs }) => toMs - fromMs), [30_000, 5000, 2000, 2000, 5000])
  assert.equal(wanted[4].fromMs, before - 9000)
})

test('times that make no sense are refused with what was wanted', async t => {
  const { ask } = createSubject(t)
  const far = Date.now() + 3600e3
  for (const query of ['seconds=0', 'seconds=301', 'last=601', 'last=x', 'from=1', 'to=5', 'from=9&to=5', `from=1&to=${far}`, 'from=1&to=5&last=3', 'seconds=1&seconds=2', 'format=svg', 'from=-1&to=5']) {
    const { status, value } = await ask(`/cpu?${query}`)
    assert.equal(status, 400, query)
    assert.ok(value.detail.length > 0 && value.remedy.length > 0)
  }
})

test('a CPU profile of one route has a note with its share of the busy time, and an unknown route is an error with a remedy', async t => {
  const labelled = withRoutes(craft([[['serve', 'login'], 600_000], [['serve', 'parseOrders'], 400_000]]), { login: 'POST /login', parseOrders: 'GET /parse' })
  const { ask } = createSubject(t, { sources: { view: async ({ fromMs, toMs }) => ({ profile: labelled, isShortened: false, fromMs, toMs }) } })
  for (const format of ['cpuprofile', 'pprof', 'flamegraph', 'text', 'graph']) {
    const { status, body } = await ask(`/cpu?route=POST%20/login&format=${format}`)
    const text = String(format === 'pprof' ? gunzipSync(body) : body)
    assert.ok(status === 200 && /login/.test(text) && !/parseOrders/.test(text), format)
  }
  const { notes, routes } = (await ask('/cpu?route=POST+/login&format=graph')).value
  assert.match(notes[0], /^only POST \/login: 0\.60 s of 1\.00 s of busy time \(60\.0 %\)/)
  assert.deepEqual(routes.names, ['POST /login'])
  const { status, value } = await ask('/cpu?route=GET%20/login')
  assert.deepEqual([status, value.code], [404, 'ERR_LOOPSCOPE_UNKNOWN_ROUTE'])
  assert.match(value.detail, /POST \/login, GET \/parse/)
  for (const query of ['route=', `route=${'x'.repeat(1001)}`, 'route=a&route=b']) assert.equal((await ask(`/cpu?${query}`)).status, 400, query)
})

test('what changed since an earlier stretch of time is a page, or what the page draws', async t => {
  const wanted = []
  const pieces = [craft([[['login'], 100_000], [['report'], 300_000]]), craft([[['login'], 300_000]])]
  const view = async ({ fromMs, toMs }) => ({ profile: pieces[(wanted.push([fromMs, toMs]) + 1) % 2], isShortened: false, fromMs, toMs })
  const { ask, store } = createSubject(t, { sources: { view } })
  const { status, value } = await ask('/cpu?from=70000&to=80000&against=10&format=graph')
  assert.deepEqual([status, wanted], [200, [[60_000, 70_000], [70_000, 80_000]]])
  assert.deepEqual(Object.fromEntries(value.nodes.map(([, frame, ...selves]) => [value.frames[frame][0], selves])), { '(root)': [0, 0], login: [300_000, 100_000], report: [0, 300_000] })
  assert.deepEqual([value.fromMs, value.toMs, value.difference.before.busyMicros], [70_000, 80_000, 400_000])
  const { body } = await ask('/cpu?from=70000&to=80000&against=60')
  assert.match(String(Buffer.from(body)), /<h1>What changed in shop[^]*before: [^<]*:10 to [^<]*:20 [+-][^]*after: [^<]*:10 to [^<]*:20 [+-]/)
  for (const query of ['format=pprof&against=10', 'against=9', 'against=0', 'against=x']) assert.equal((await ask(`/cpu?from=70000&to=80000&${query}`)).status, 400, query)
  assert.deepEqual(store.list(), [])
})

test('a recorder that is off, and a time that it does not hold, are distinguished', async t => {
  const off = createSubject(t, { sources: { view: async () => { throw new errors.ERR_LOOPSCOPE_RECORDER_OFF('option recorder is false') } } })
  assert.deepEqual([(await off.ask('/cpu')).status, (await off.ask('/cpu')).value.code], [503, 'ERR_LOOPSCOPE_RECORDER_OFF'])
  const empty = createSubject(t, { sources: { view: async () => { throw new errors.ERR_LOOPSCOPE_EMPTY_VIEW('a', 'b', 60, 'c') } } })
  assert.equal((await empty.ask('/cpu')).status, 404)
})

test('the profile of a stall is there while it is kept', async t => {
  const { ask } = createSubject(t)
  const { status, value } = await ask(`/stalls/${STALL.id}/cpu?format=graph`)
  assert.equal(status, 200)
  assert.ok(value.frames.some(([name]) => name === 'login'))
  for (const id of ['8', 'x', '..', '7.5']) assert.equal((await ask(`/stalls/${id}/cpu`)).status, 404, id)
})

test('a graph has its calls in the order of time on request, and only a graph', async t => {
  const { ask } = createSubject(t)
  for (const path of [`/stalls/${STALL.id}/cpu`, '/cpu']) {
    const { status, value } = await ask(`${path}?format=graph&order=time`)
    assert.deepEqual([status, value.isOrdered, value.nodes[0][0]], [200, true, -1])
    assert.equal((await ask(`${path}?format=text&order=time`)).status, 400)
    assert.equal((await ask(`${path}?format=graph&order=size`)).status, 400)
  }
})

test('pprof answers as Go does: bytes without an encoding of the transport, errors as a line of text', async t => {
  const { ask } = createSubject(t)
  for (const target of ['/debug/pprof/profile?seconds=1', '/debug/pprof/profile?seconds=nonsense', '/debug/pprof/profile', '/debug/pprof/block', '/debug/pprof/heap?gc=1', '/debug/pprof/allocs?seconds=1', '/debug/pprof/goroutine', '/debug/pprof/mutex?seconds=14']) {
    const { status, headers, body } = await ask(target)
    assert.deepEqual([status, headers['Content-Type'], headers['Content-Encoding']], [200, 'application/octet-stream', undefined], target)
    assert.deepEqual([...body.subarray(0, 2)], [0x1f, 0x8b])
  }
  for (const [target, status] of [['/debug/pprof/profile?seconds=301', 400], ['/debug/pprof/block?seconds=0', 400], ['/debug/pprof/heap?seconds=x', 400], ['/debug/pprof/allocs?gc=perhaps', 400]]) {
    const { headers, body, ...answer } = await ask(target)
    assert.equal(answer.status, status, target)
    assert.deepEqual([headers['Content-Type'], headers['X-Go-Pprof']], ['text/plain; charset=utf-8', '1'])
    assert.match(body, /^.+\.\n$/)
  }
  for (const name of ['cmdline', 'symbol', 'trace']) assert.equal((await ask(`/debug/pprof/${name}`)).status, 404, name)
})

test('the report has neither environment nor command line', async t => {
  const report = { ...process.report.getReport(), environmentVariables: { SECRET: 'hunter2' } }
  report.header.commandLine = ['node', 'app.js', '--password=hunter2']
  const { ask } = createSubject(t, { sources: { report: async () => ({ ...report, workers: [report] }) } })
  const { status, body, value } = await ask('/report')
  assert.equal(status, 200)
  assert.ok(!body.includes('hunter2') && !body.includes('environmentVariables'))
  assert.ok(value.javascriptHeap.totalMemory > 0 && value.header.nodejsVersion === process.version)
})

test('an internal error is a 500 without details, which are in the log', async t => {
  const { ask, logged } = createSubject(t, { sources: { stalls: () => { throw new Error('secret place') } } })
  const { status, body } = await ask('/stalls')
  assert.equal(status, 500)
  assert.ok(!body.includes('secret'))
  assert.equal(logged[0].err.message, 'secret place')
})

test('every answer is for nobody else\'s eyes', async t => {
  const { ask } = createSubject(t)
  for (const target of ['/', '/metrics', '/stalls', '/nothing', '/cpu?last=1', '/debug/pprof/profile']) {
    const { headers } = await ask(target)
    assert.deepEqual([headers['Cache-Control'], headers['X-Content-Type-Options'], headers['Cross-Origin-Resource-Policy']], ['no-store', 'nosniff', 'same-origin'], target)
    assert.ok(!Object.keys(headers).some(name => /^access-control/i.test(name)))
  }
})

test('HEAD answers as GET without the body', async t => {
  const { ask } = createSubject(t)
  const get = await ask('/stalls')
  const head = await ask('/stalls', { method: 'HEAD' })
  assert.deepEqual([head.status, head.body, head.headers['Content-Length']], [200, null, String(Buffer.byteLength(get.body))])
})

test('requests are counted by endpoint, unknown paths under one name', async t => {
  const { ask, counted } = createSubject(t)
  for (const target of ['/stalls', '/nothing', '/stalls/', '//', '/stalls/../cpu', '/%73talls']) await ask(target)
  assert.deepEqual(counted.map(({ endpoint, code }) => [endpoint, code]), [['stalls', 200], ...Array(5).fill(['unknown', 404])])
})

test('/live sends the loop once a second, each stall once, and that it is stuck', async t => {
  let stalls = [STALL]
  let blockedMs = 0
  const controller = new AbortController()
  const { ask } = createSubject(t, { sources: { stalls: () => ({ stalls, current: null, totals: {} }), loopNow: () => ({ blockedMs }) } })
  const { body } = await ask('/live', { signal: controller.signal })
  const chunks = body.chunks[Symbol.asyncIterator]()
  const next = async () => /^event: (\w+)\ndata: (.+)\n\n$/.exec((await chunks.next()).value)?.slice(1)
  const [name, data] = await next()
  const { utilization, requests, recorder } = JSON.parse(data)
  assert.deepEqual([name, utilization, requests, recorder], ['loop', 0.25, { answered: 7, inFlight: 2 }, { off: null, fromMs: 1000 }])
  stalls = [{ ...STALL, id: 8 }, STALL]
  blockedMs = 1500
  assert.equal((await next())[0], 'stuck')
  const [stall, facts] = await next()
  assert.deepEqual([stall, JSON.parse(facts).id], ['stall', 8])
  controller.abort()
  assert.equal((await chunks.next()).done, true)
})

test('a sixth client gets a Retry-After, and a place is free when one leaves', async t => {
  const { ask } = createSubject(t)
  const open = []
  for (let client = 0; client < 5; client++) {
    const controller = new AbortController()
    const chunks = (await ask('/live', { signal: controller.signal })).body.chunks[Symbol.asyncIterator]()
    await chunks.next()
    open.push({ controller, chunks })
  }
  const refused = await ask('/live')
  assert.deepEqual([refused.status, refused.headers['Retry-After']], [503, '10'])
  for (const { controller, chunks } of open) {
    controller.abort()
    await chunks.next()
  }
  assert.equal((await ask('/live', { token: TOKENS.metrics })).status, 200)
})

test('of many that come to listen at once five are let in, and one that leaves before its first event gives its place back', async t => {
  const { ask } = createSubject(t)
  const controller = new AbortController()
  const come = async signal => (await Promise.all(Array.from({ length: 100 }, () => ask('/live', { signal })))).filter(({ status }) => status === 200).length
  assert.equal(await come(controller.signal), 5)
  assert.equal((await ask('/live', { method: 'HEAD' })).status, 200)
  controller.abort()
  assert.equal(await come(new AbortController().signal), 5)
})
