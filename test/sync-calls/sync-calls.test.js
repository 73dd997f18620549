'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { SyncCalls } = require('../../lib/main/sync-calls/sync-calls')

const HOUR_MS = 3_600_000

function createSubject (t, { exact = false, ...rest } = {}) {
  const warnings = []
  const syncCalls = new SyncCalls({
    exact,
    routeNow: () => 'POST /auth',
    showFile: file => file,
    showFrame: ({ functionName, url, lineNumber, columnNumber }) => ({ function: functionName, file: url, line: lineNumber + 1, column: columnNumber + 1 }),
    logger: { info () {}, error () {}, warn: (fields, message) => warnings.push({ ...fields, message }) },
    onFault: error => { throw error },
    poolSize: undefined,
    ...rest
  })
  t.after(() => syncCalls.stop())
  return { syncCalls, warnings }
}

/** What the observer tells: milliseconds by caller and route. */
function readingOf (busyMs, sites) {
  return {
    busyMicros: busyMs * 1e3,
    sites: sites.map(({ api = 'crypto.pbkdf2Sync', caller = 'auth', ms, routes = {} }) => ({
      api,
      caller: { functionName: caller, scriptId: '1', url: `${caller}.js`, lineNumber: 22, columnNumber: 4 },
      micros: ms * 1e3,
      routes: new Map(Object.entries(routes).map(([route, routeMs]) => [route, routeMs * 1e3]))
    }))
  }
}

test('sampled calls are shown with place, share, routes and advice, heaviest first', t => {
  const { syncCalls } = createSubject(t)
  syncCalls.addSamples(readingOf(1000, [
    { api: 'fs.readFileSync', caller: 'page', ms: 20 },
    { ms: 400, routes: { 'POST /auth': 200, 'POST /join': 100 } }
  ]), 0)
  const { sampled: [auth, page], exact, startUp } = syncCalls.read()
  const { advice, ...facts } = auth
  assert.deepEqual(facts, {
    api: 'crypto.pbkdf2Sync',
    callSite: { function: 'auth', file: 'auth.js', line: 23, column: 5 },
    ms: 400,
    share: 0.4,
    routes: [{ route: 'POST /auth', ms: 200 }, { route: 'POST /join', ms: 100 }, { route: null, ms: 100 }],
    flagged: false
  })
  assert.match(advice.instead, /crypto\.pbkdf2 /)
  assert.equal(page.api, 'fs.readFileSync')
  assert.deepEqual([exact, startUp], [null, null])
})

test('a sampled site that takes 5 % of the time is flagged and logged, again after an hour', t => {
  const { syncCalls, warnings } = createSubject(t)
  const add = (ms, nowMs) => syncCalls.addSamples(readingOf(10_000, [{ ms, routes: { 'POST /auth': ms } }, { caller: 'rare', ms: 100 }]), nowMs)
  add(5000, 0)
  add(10_000, 5000)
  assert.deepEqual(syncCalls.read().sampled.map(({ callSite, flagged }) => [callSite.function, flagged]), [['auth', true], ['rare', false]])
  assert.equal(warnings.length, 1)
  assert.match(warnings[0].message, /^hot synchronous call: crypto\.pbkdf2Sync in auth \(auth\.js:23\) for POST \/auth, 50 % of the time/)
  assert.equal(warnings[0].syncCall.api, 'crypto.pbkdf2Sync')
  add(60_000_000, HOUR_MS)
  assert.equal(warnings.length, 2)
  assert.deepEqual(syncCalls.totals().flagged, [{ api: 'crypto.pbkdf2Sync', route: '/auth', count: 2 }])
})

test('a full pool is counted each time and logged once an hour, with the size it has', t => {
  const { syncCalls, warnings } = createSubject(t, { poolSize: '8' })
  for (const [waitedMs, nowMs] of [[60, 0], [90.4, 1000], [70, HOUR_MS]]) syncCalls.poolQueued(waitedMs, nowMs)
  assert.deepEqual(syncCalls.read().pool, { queued: 3, maxWaitMs: 90 })
  assert.deepEqual(warnings.map(({ pool }) => pool), [{ waitedMs: 60, size: 8 }, { waitedMs: 70, size: 8 }])
  assert.match(warnings[0].message, /UV_THREADPOOL_SIZE/)
  const { syncCalls: other, warnings: others } = createSubject(t)
  other.poolQueued(60, 0)
  assert.equal(others[0].pool.size, 4)
})

test('totals join call sites by API and route template, for each source', t => {
  const { syncCalls } = createSubject(t)
  syncCalls.addSamples(readingOf(1000, [
    { caller: 'auth', ms: 250, routes: { 'POST /auth': 250 } },
    { caller: 'hash', ms: 125, routes: { 'PUT /auth': 125 } },
    { caller: 'boot', ms: 50 }
  ]), 0)
  assert.deepEqual(syncCalls.totals(), {
    exact: [],
    sampled: [{ api: 'crypto.pbkdf2Sync', route: '/auth', calls: 0, seconds: 0.375 }, { api: 'crypto.pbkdf2Sync', route: '', calls: 0, seconds: 0.05 }],
    flagged: [],
    poolQueued: 0
  })
})

test('a total does not depend on the order of its sites, in which one overtakes another: a counter never falls', t => {
  const seconds = order => {
    const { syncCalls } = createSubject(t)
    syncCalls.addSamples(readingOf(1000, order.map(ms => ({ caller: `hash${ms}`, ms }))), 0)
    return syncCalls.totals().sampled.map(sum => sum.seconds)
  }
  const sites = [100.1, 200.2, 300.3, 1.7, 1.1]
  const orders = sites.map((_, at) => [...sites.slice(at), ...sites.slice(0, at)])
  assert.equal(new Set(orders.map(order => order.reduce((sum, ms) => sum + ms / 1e3, 0))).size > 1, true) // plain sums do
  assert.equal(new Set(orders.flatMap(seconds)).size, 1)
})

test('without the exact detector nothing is replaced, and arming is nothing', t => {
  const original = crypto.pbkdf2Sync
  const { syncCalls } = createSubject(t)
  syncCalls.start()
  syncCalls.armed = true
  assert.equal(crypto.pbkdf2Sync, original)
  assert.equal(syncCalls.armed, false)
})

test('with it, calls are told by site once it is armed, and before as start-up; then the samples flag nothing', t => {
  const original = crypto.pbkdf2Sync
  const { syncCalls, warnings } = createSubject(t, { exact: { apis: ['crypto.pbkdf2Sync'] } })
  syncCalls.start()
  const hash = () => crypto.pbkdf2Sync('password', 'salt', 10_000, 64, 'sha512')
  syncCalls.armed = false
  hash()
  syncCalls.armed = true
  hash()
  hash()
  const { exact: [site], startUp } = syncCalls.read()
  assert.deepEqual([site.callSite.function, site.calls, site.routes[0].route], ['hash', 2, 'POST /auth'])
  assert.deepEqual([startUp.sites.length, startUp.sites[0].calls], [1, 1])
  assert.deepEqual(syncCalls.totals().exact.map(({ api, route, calls }) => [api, route, calls]), [['crypto.pbkdf2Sync', '/auth', 2]])
  syncCalls.addSamples(readingOf(10_000, [{ ms: 9000 }]), 0)
  assert.equal(syncCalls.read().sampled[0].flagged, true)
  assert.deepEqual(warnings, [])
  syncCalls.stop()
  assert.equal(crypto.pbkdf2Sync, original)
})
