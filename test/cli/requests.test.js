'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { IN_FLIGHT } = require('../admin/subject')
const { answered } = require('./answered')

test('of each request is shown what it does or waits for, and above all of them what blocks the loop', async t => {
  const { code, stdout, stderr } = await answered(t, IN_FLIGHT, 'requests', '--wide')
  assert.deepEqual([code, stderr], [0, ''])
  const [counts, titles, waiting, unknown, running] = stdout.split('\n')
  assert.match(counts, /^3 requests under way; 1 upgraded connection; the event loop has been blocked for 350 ms by POST \/login: pbkdf2Sync called by checkPassword \(app\.js:8\)$/)
  assert.match(titles, /^ROUTE +AGE +CLIENT +NOW$/)
  assert.match(waiting, /^GET \/orders\/:id +5200 ms +gone +waiting for redis GET 127\.0\.0\.1:6379 for 5100 ms$/)
  assert.match(unknown, /^GET \(route not known yet\) +400 ms +- +waiting for the event loop$/)
  assert.match(running, /^POST \/login +360 ms +- +running pbkdf2Sync called by checkPassword \(app\.js:8\)$/)
})

test('an older answer has its age', async t => {
  const { stdout, stderr } = await answered(t, { ...IN_FLIGHT, ageMs: 2400, isStale: true, running: null, total: 0, upgraded: 0, requests: [] }, 'requests')
  assert.equal(stdout, 'no requests under way\n')
  assert.match(stderr, /blocked for 350 ms, and what runs there cannot be interrupted: this was read 2\.4 s ago/)
})

test('the data is given as it is', async t => {
  assert.deepEqual(JSON.parse((await answered(t, IN_FLIGHT, 'requests', '--json')).stdout), IN_FLIGHT)
})

test('names from the process cannot control the terminal', async t => {
  const [first] = IN_FLIGHT.requests
  const running = { route: 'job \u001b[2Jx', culprit: null }
  const { stdout } = await answered(t, { ...IN_FLIGHT, running, requests: [{ ...first, route: 'GET /\u001b[2J', waits: [{ ...first.waits[0], target: 'a\nb' }] }] }, 'requests', '--wide')
  assert.doesNotMatch(stdout, /\u001b|a\nb/) // eslint-disable-line no-control-regex
  assert.equal(stdout.trim().split('\n').length, 3)
})
