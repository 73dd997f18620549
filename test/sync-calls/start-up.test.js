'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const { setImmediate } = require('node:timers/promises')
const { SyncCallDetector } = require('../../lib/probe/sync-calls/detector')
const { DEFAULTS } = require('./started')

function start (t) {
  const detector = new SyncCallDetector({ ...DEFAULTS, apis: ['fs.*', 'Date.now'] })
  t.after(() => detector.stop())
  detector.start()
  return detector
}

/** The server is gone before the next test begins: that one must find none that listens. */
async function listen (t) {
  const server = http.createServer().listen(0, '127.0.0.1')
  t.after(async () => {
    server.close()
    while (process.getActiveResourcesInfo().includes('TCPServerWrap')) await setImmediate()
  })
  await once(server, 'listening')
}

const calls = sites => sites.map(({ api, calls }) => [api, calls])

test('until something listens, calls are start-up; the first server ends it', async t => {
  const detector = start(t)
  assert.equal(detector.armed, false)
  fs.readFileSync(__filename)
  assert.deepEqual(calls(detector.read().startUp.sites), [['fs.readFileSync', 1]])
  const { totalMs } = detector.read().startUp
  assert.ok(totalMs > 0)

  await listen(t)
  assert.equal(detector.armed, true)
  fs.existsSync(__filename)
  const { sites, startUp } = detector.read()
  assert.deepEqual(calls(sites), [['fs.existsSync', 1]])
  assert.deepEqual(calls(startUp.sites), [['fs.readFileSync', 1]])
  assert.equal(startUp.totalMs, totalMs)
})

test('a service that listens already is not in start-up', async t => {
  await listen(t)
  assert.equal(start(t).armed, true)
})

test('start-up ends by hand where nothing ever listens', t => {
  const detector = start(t)
  Date.now()
  detector.armed = true
  Date.now()
  const { sites, startUp } = detector.read()
  assert.deepEqual([calls(sites), calls(startUp.sites)], [[['Date.now', 1]], [['Date.now', 1]]])
})

test('a stopped detector is not armed by a server', async t => {
  const detector = start(t)
  detector.stop()
  await listen(t)
  assert.equal(detector.armed, false)
})
