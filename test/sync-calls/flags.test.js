'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { Flags } = require('../../lib/shared/sync-calls/flags')
const { Site } = require('../../lib/probe/sync-calls/site-table')
const { startDetector } = require('./started')

const PLACE = { function: 'f', file: 'f.js', line: 1, column: 1 }
const HOUR_SECONDS = 3600
const START_MS = 5e6 // the process has been up for a while

const timed = () => new Site({ api: 'crypto.pbkdf2Sync', isCounted: false }, PLACE)
const counted = () => new Site({ api: 'Date.now', isCounted: true }, PLACE)

/** Seconds at which a site was reported, when each second brings it so much. */
function reportedAt (site, { seconds, calls, ms = 0 }) {
  const flags = new Flags({ msPerSecond: 10, callsPerSecond: 10_000 })
  const reported = []
  for (let second = 1; second <= seconds; second++) {
    if (calls(second) > 0) site.add(calls(second), ms, null)
    if (flags.tick([site], START_MS + second * 1000).length > 0) reported.push(second)
  }
  return reported
}

test('a site is flagged when it blocks the loop for more than 10 ms a second over 10 s', () => {
  assert.deepEqual(reportedAt(timed(), { seconds: 60, calls: () => 1, ms: 11 }), [10])
  assert.deepEqual(reportedAt(timed(), { seconds: 60, calls: () => 1, ms: 9 }), [])
  const site = timed()
  assert.deepEqual(reportedAt(site, { seconds: 60, calls: second => second === 1 ? 1 : 0, ms: 120 }), [1])
  assert.equal(site.flagged, true)
})

test('a counted site is flagged from 10,000 calls a second on, a burst is forgotten after 10 s', () => {
  assert.deepEqual(reportedAt(counted(), { seconds: 30, calls: () => 50_000 }), [2])
  assert.deepEqual(reportedAt(counted(), { seconds: 30, calls: () => 9_000 }), [])
  assert.deepEqual(reportedAt(counted(), { seconds: 60, calls: second => second % 15 === 0 ? 90_000 : 0 }), [])
})

test('a site that goes on is reported once an hour', () => {
  const reported = reportedAt(timed(), { seconds: 2 * HOUR_SECONDS + 60, calls: () => 1, ms: 20 })
  assert.deepEqual(reported, [5, 5 + HOUR_SECONDS, 5 + 2 * HOUR_SECONDS])
})

test('the detector reports a hot call with its route and its advice, and survives a reporter that throws', async t => {
  let route = 'POST /auth'
  const faults = []
  const flagged = await new Promise(resolve => {
    let reports = 0
    startDetector(t, {
      routeNow: () => route,
      onFault: error => faults.push(error),
      onFlag: site => {
        if (reports++ > 0) return resolve(site)
        throw new Error('the reporter failed')
      }
    })
    const work = setInterval(() => {
      crypto.pbkdf2Sync('password', 'salt', 50_000, 32, 'sha256')
      if (faults.length > 0) crypto.scryptSync('password', 'salt', 32)
      route = route === 'POST /auth' ? 'POST /login' : 'POST /auth'
    }, 5)
    t.after(() => clearInterval(work))
  })
  assert.deepEqual(faults.map(({ message }) => message), ['the reporter failed'])
  assert.match(flagged.api, /crypto\.(pbkdf2|scrypt)Sync/)
  assert.ok(flagged.flagged && flagged.calls > 0 && flagged.maxMs > 0 && flagged.totalMs >= flagged.maxMs)
  assert.match(flagged.advice.instead, /thread pool/)
  assert.deepEqual(flagged.routes.map(({ route }) => route).sort(), ['POST /auth', 'POST /login'])
  assert.equal(flagged.routes.reduce((sum, { calls }) => sum + calls, 0), flagged.calls)
})
