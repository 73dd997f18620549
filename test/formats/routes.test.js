'use strict'

// What the formats make of the routes that a profile's samples carry.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { gunzipSync } = require('node:zlib')
const { Profile } = require('pprof-format')
const { buildCallTree } = require('../../lib/formats/profile/call-tree')
const { FORMATS } = require('../../lib/formats/formats')
const { describeTimes } = require('../../lib/formats/flamegraph/graph')
const { summarizeTime, timesByRoute } = require('../../lib/formats/profile/time-kinds')
const { craft, readRecorded, withRoutes } = require('../fixtures/profiles/profiles')

const HANDLERS = { login: 'POST /login', parseReport: 'GET /reports/:id', fillHeap: 'GET /fill' }

function report (profile) {
  return FORMATS.text.encode(profile, { appRoot: '/app' }).toString()
}

/** Each sample of the file with its route and values. */
function samplesOf (profile) {
  const message = Profile.decode(gunzipSync(FORMATS.pprof.encode(profile, { appRoot: '/app' })))
  const string = index => message.stringTable.strings[Number(index)]
  return message.sample.map(({ locationId, label, value: [count, nanos] }) => {
    assert.ok(label.every(({ key }) => string(key) === 'http_route'))
    return { locations: locationId.join(), route: label.map(({ str }) => string(str))[0] ?? null, count: Number(count), nanos: Number(nanos) }
  })
}

const sum = numbers => numbers.reduce((total, number) => total + number, 0)

test('a cpuprofile keeps them, and nothing else that is not V8\'s', () => {
  const profile = withRoutes(craft([[['login'], 10], [['(idle)'], 5]]), { login: 'POST /login' })
  const encoded = JSON.parse(FORMATS.cpuprofile.encode({ ...profile, routes: { ...profile.routes, secret: 1 } }))
  assert.deepEqual(encoded.routes, { names: ['POST /login'], samples: [0, -1] })
  const { routes, ...rest } = encoded
  assert.deepEqual(rest, JSON.parse(FORMATS.cpuprofile.encode({ ...profile, routes: undefined })))
})

test('time is counted by route also where samples came out of order', () => {
  const profile = withRoutes(craft([[['login'], 30], [['report'], -10], [['login'], 30]]), { login: 'POST /login', report: 'GET /report' })
  const times = timesByRoute(buildCallTree(profile))
  assert.deepEqual(times, [{ route: 'POST /login', micros: 30 }, { route: 'GET /report', micros: 20 }])
})

test('a pprof has a sample for each stack and route, and idle time in none', () => {
  const profile = craft([[['shared'], 10_000], [['shared'], 20_000], [['shared'], 5000], [['(idle)'], 9000]])
  profile.routes = { names: ['GET /a', 'GET /b'], samples: [0, 1, -1, 0] }
  const samples = samplesOf(profile).map(({ route, count, nanos }) => [route, count, nanos])
  assert.deepEqual(samples, [['GET /a', 1, 10_000_000], ['GET /b', 1, 20_000_000], [null, 1, 5_000_000]])
})

test('lines and routes of a function divide its time and its samples exactly', () => {
  const profile = craft(Array.from({ length: 7 }, (_, index) => [['work'], 1000 + index]))
  profile.nodes[1].positionTicks = [{ line: 8, ticks: 1 }, { line: 9, ticks: 1 }, { line: 11, ticks: 1 }]
  profile.routes = { names: ['GET /a', 'GET /b'], samples: [0, 1, 0, 1, 0, 0, -1] }
  const samples = samplesOf(profile)
  for (const [route, count, micros] of [['GET /a', 4, 4011], ['GET /b', 2, 2004], [null, 1, 1006]]) {
    const own = samples.filter(sample => sample.route === route)
    assert.deepEqual([sum(own.map(({ count }) => count)), sum(own.map(({ nanos }) => nanos))], [count, micros * 1000])
  }
})

test('the text has a row a route with the function to look at, and one for what has none', () => {
  const profile = craft([[['login', 'node:pbkdf2Sync', 'native:run'], 600_000], [['report'], 300_000], [['(garbage collector)'], 100_000]])
  const text = report(withRoutes(profile, { login: 'POST /login', report: 'GET /report' }))
  assert.match(text, / {6}600\.0 {2}60\.0% {2}POST \/login {13}pbkdf2Sync node:internal\/thing:\d+, called by login app\.js:\d+\n/)
  assert.match(text, / {6}300\.0 {2}30\.0% {2}GET \/report {13}report app\.js:\d+\n/)
  assert.match(text, / {6}100\.0 {2}10\.0% {2}no request, or unknown {2}\(garbage collector\)\n/)
})

test('the text has at most fifteen of them, and the rest in one row', () => {
  const handlers = Array.from({ length: 40 }, (_, index) => `handler${index}`)
  const profile = craft([...handlers.map((name, index) => [[name], 1000 * (40 - index)]), [['alone'], 10]])
  const rows = report(withRoutes(profile, Object.fromEntries(handlers.map((name, index) => [name, `GET /${index}`])))).split('\n')
  const shown = rows.filter(row => /GET \/\d/.test(row))
  assert.deepEqual([shown.length, /GET \/0 /.test(shown[0])], [15, true])
  assert.ok(rows.some(row => /325\.0 +39\.6% {2}everything else \(25 routes\)/.test(row)))
  assert.ok(rows.some(row => /no request, or unknown/.test(row)))
})

test('the text has no such rows where nothing has a route', () => {
  assert.doesNotMatch(report(craft([[['work'], 10]])), /Routes/)
  assert.doesNotMatch(report(withRoutes(craft([[['work'], 10]]), { login: 'POST /login' })), /Routes/)
})

test('no route breaks a line or becomes markup', () => {
  const evil = '</script><img src=x>\n\u001b[31m'
  const profile = withRoutes(craft([[['work'], 10]]), { work: evil })
  assert.doesNotMatch(report(profile), /\u001b|^\[31m/m) // eslint-disable-line no-control-regex
  const page = FORMATS.flamegraph.encode(profile).toString()
  assert.doesNotMatch(page, /<img/)
  assert.deepEqual(JSON.parse(/id="graph">([^]*?)<\/script>/.exec(page)[1]).routes.names, [evil])
})

for (const { name, profile } of readRecorded()) {
  test(`all the busy time of ${name} is there by route, in every format`, () => {
    const labelled = withRoutes(profile, HANDLERS)
    const root = buildCallTree(labelled)
    const { busy } = summarizeTime(root)
    const times = timesByRoute(root)
    assert.deepEqual(times.map(({ route }) => route).sort(), ['GET /fill', 'GET /reports/:id', 'POST /login', null])
    assert.equal(sum(times.map(({ micros }) => micros)), busy)
    for (const { route, micros } of times) {
      assert.equal(sum(samplesOf(labelled).filter(sample => sample.route === route).map(({ nanos }) => nanos)), micros * 1000)
    }
    const { nodes, routes } = describeTimes(root)
    const byNode = nodes.map(() => 0)
    for (const [node, , micros] of routes.times) byNode[node] += micros
    assert.deepEqual(byNode, nodes.map(([, , self]) => self))
  })
}
