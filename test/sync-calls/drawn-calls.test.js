'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const { captureCall, PendingStacks } = require('../../lib/probe/sync-calls/call-site')
const { startDetector, sitesOf } = require('./started')

const TARGET = { api: 'fs.existsSync' }

/** Takes the place of a SiteTable. */
function recordingTable () {
  const added = []
  return { added, add: (target, place, weight, ms, route) => added.push({ target, function: place.function, weight, ms, route }) }
}

function drawHere (parts) {
  return { target: TARGET, stack: captureCall(drawHere), weight: 1, ms: 0.25, route: null, ...parts }
}

test('calls wait for each other, and a full batch is read without anybody asking', () => {
  const table = recordingTable()
  const pending = new PendingStacks()
  let calls = 0
  while (table.added.length === 0) {
    pending.add(drawHere({ table }))
    calls++
    assert.ok(calls <= 1000, 'as many are kept as come')
  }
  assert.ok(calls > 1)
  assert.equal(table.added.length, calls)
})

test('settle() adds what waits to the table that each call belongs to, once', function namedCaller () {
  const [startUp, later] = [recordingTable(), recordingTable()]
  const pending = new PendingStacks()
  pending.add(drawHere({ table: startUp }))
  pending.add(drawHere({ table: later, weight: 7, ms: 2, route: 'GET /orders/:id' }))
  pending.settle()
  pending.settle()
  assert.deepEqual(startUp.added, [{ target: TARGET, function: 'namedCaller', weight: 1, ms: 0.25, route: null }])
  assert.deepEqual(later.added, [{ target: TARGET, function: 'namedCaller', weight: 7, ms: 2, route: 'GET /orders/:id' }])
})

test('a call without a stack is kept at no place, beside those that have one', () => {
  const table = recordingTable()
  const pending = new PendingStacks()
  pending.add(drawHere({ table, stack: null, weight: 2 }))
  pending.add(drawHere({ table, weight: 3 }))
  pending.settle()
  assert.deepEqual(table.added.map(({ function: name, weight }) => [name === '', weight]), [[true, 2], [false, 3]])
})

test('a call counts for the route that it ran on, and for what the detector was then', t => {
  let route = 'GET /first'
  const detector = startDetector(t, { routeNow: () => route })
  fs.existsSync('/')
  route = 'GET /second'
  detector.armed = false
  const reading = detector.read()
  assert.deepEqual(sitesOf(reading.sites, TARGET.api, __filename).flatMap(({ routes }) => routes.map(({ route }) => route)), ['GET /first'])
  assert.equal(sitesOf(reading.startUp.sites, TARGET.api, __filename).length, 0)
})

test('stacks are read as V8 keeps them, whatever the application has put at Error meanwhile', t => {
  const { prepareStackTrace, stackTraceLimit } = Error
  t.after(() => Object.assign(Error, { prepareStackTrace, stackTraceLimit }))
  const detector = startDetector(t)
  fs.existsSync('/')
  let runs = 0
  Error.prepareStackTrace = () => { runs++ }
  Error.stackTraceLimit = 0
  const { sites } = detector.read()
  assert.equal(sitesOf(sites, TARGET.api, __filename).length, 1)
  assert.deepEqual([runs, Error.stackTraceLimit], [0, 0])
})
