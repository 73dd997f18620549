'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { ExactCalls } = require('../../lib/probe/sync-calls/exact-calls')
const { FlagLog } = require('../../lib/shared/sync-calls/flags')

function createSubject (t, options = false) {
  const warnings = []
  const exactCalls = new ExactCalls({
    options,
    routeNow: () => 'POST /auth',
    showFile: file => file,
    logger: { info () {}, error () {}, warn: (fields, message) => warnings.push({ ...fields, message }) },
    onFault: error => { throw error }
  })
  t.after(() => exactCalls.stop())
  return { exactCalls, warnings }
}

test('without the option nothing is replaced, nothing is counted, and arming is nothing', t => {
  const original = crypto.pbkdf2Sync
  const { exactCalls } = createSubject(t)
  exactCalls.start()
  exactCalls.armed = true
  assert.equal(crypto.pbkdf2Sync, original)
  assert.equal(exactCalls.armed, false)
  assert.deepEqual(exactCalls.read(), { totals: null, exact: null, startUp: null })
  assert.deepEqual(exactCalls.counts(), { calls: [], flagged: [] })
})

test('with it, calls are listed by site once it is armed, and before that as start-up', t => {
  const original = crypto.pbkdf2Sync
  const { exactCalls, warnings } = createSubject(t, { apis: ['crypto.pbkdf2Sync'] })
  exactCalls.start()
  const hash = () => crypto.pbkdf2Sync('password', 'salt', 10_000, 64, 'sha512')
  exactCalls.armed = false
  hash()
  exactCalls.armed = true
  hash()
  hash()
  const { totals, exact: [site], startUp } = exactCalls.read()
  assert.deepEqual([site.callSite.function, site.calls, site.routes[0].route], ['hash', 2, 'POST /auth'])
  assert.deepEqual(totals.map(({ api, calls }) => [api, calls]), [['crypto.pbkdf2Sync', 2]])
  assert.deepEqual([startUp.sites.length, startUp.sites[0].calls], [1, 1])
  assert.deepEqual(exactCalls.counts().calls.map(({ api, route, calls }) => [api, route, calls]), [['crypto.pbkdf2Sync', '/auth', 2]])
  assert.deepEqual(warnings, [])
  exactCalls.stop()
  assert.equal(crypto.pbkdf2Sync, original)
})

test('what it flags is logged once, with what to do, and counted by API and route template', async t => {
  const { exactCalls, warnings } = createSubject(t, { apis: ['crypto.pbkdf2Sync'], thresholdMs: 1, flagMsPerSecond: 0.1, flagCallsPerSecond: 1 })
  exactCalls.start()
  exactCalls.armed = true
  function hash () {
    crypto.pbkdf2Sync('password', 'salt', 50_000, 64, 'sha512')
  }
  hash()
  const busy = setInterval(hash, 100) // the detector's own timer keeps no process alive
  t.after(() => clearInterval(busy))
  while (warnings.length === 0) await new Promise(resolve => setTimeout(resolve, 20))
  assert.match(warnings[0].message, /^hot synchronous call: crypto\.pbkdf2Sync in hash \(.*exact-calls\.test\.js:\d+\) for POST \/auth, \d+ calls?, \d+ ms so far; .* Fix: crypto\.pbkdf2 /)
  assert.equal(warnings[0].syncCall.flagged, true)
  assert.deepEqual(exactCalls.counts().flagged, [{ api: 'crypto.pbkdf2Sync', route: '/auth', count: 1 }])
})

test('flags outside requests have no route', () => {
  const logged = []
  const log = new FlagLog({ warn: (fields, message) => logged.push(message) })
  const call = { api: 'fs.readFileSync', callSite: { function: 'load', file: 'app.js', line: 3, column: 1 }, advice: { why: 'it waits', instead: 'fs.promises', link: '' }, routes: [] }
  for (let times = 0; times < 2; times++) log.add(call, '3 calls')
  assert.equal(logged[1], 'hot synchronous call: fs.readFileSync in load (app.js:3), 3 calls; it waits. Fix: fs.promises')
  assert.deepEqual(log.counts(), [{ api: 'fs.readFileSync', route: '', count: 2 }])
})
