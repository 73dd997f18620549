'use strict'

// What is said of requests that wait: for a connection, a name server, a timer, a lock, one thing after the other; and not of those that do so for a moment.

const test = require('node:test')
const assert = require('node:assert/strict')
const { findFindings } = require('../../lib/observer/findings/find-findings')
const { readings } = require('./readings')
const { WAITING, lineOf, routeOf } = require('./waiting')

const find = (changes, id) => findFindings(readings(changes), { appName: 'shop' }).findings.find(finding => finding.id === id)

for (const { name, id, sick, healthy, says, where } of WAITING) {
  test(`${id}, ${name}: it is said with its figures, and not where there is less of it`, () => {
    const found = find(sick, id)
    assert.ok(found, JSON.stringify(findFindings(readings(sick), { appName: 'shop' }).findings, null, 1))
    assert.match(`${found.title} ${found.what}`, says)
    assert.deepEqual([found.where?.function, found.where?.route], [where, 'GET /orders'])
    assert.equal(found.severity, id === 'serial-awaits' ? 'info' : 'warning')
    assert.ok(found.lostMs > 0 && found.share > 0 && found.share <= 1)
    for (const changes of healthy) assert.equal(find(changes, id), undefined)
    const unlike = { ...sick, waits: sick.waits.map(route => ({ ...route, totalMs: route.totalMs * 4 })), slow: [], calls: [], connections: {} }
    assert.equal(find(unlike, id), undefined, 'the sampled requests were the first ones')
    const few = { ...sick, waits: sick.waits.map(route => ({ ...route, requests: 2 })), slow: [], calls: [], connections: {} }
    assert.equal(find(few, id), undefined, 'two requests show nothing')
  })
}

test('a route that is slow elsewhere is not said again, and says what was not seen', () => {
  const pace = { pace: { ms: 60_000, routes: [{ route: 'GET /orders', count: 600, seconds: 540 }] } }
  const sampled = (lines, unseenMs = 0) => ({ ...pace, waits: [{ ...routeOf(lines, { durationMs: 900 }), unseenMs }] })
  assert.equal(find(sampled([lineOf({ meanMs: 800, durationMs: 900, awaited: 'timer' })]), 'slow-elsewhere'), undefined)
  assert.match(find(sampled([], 8000), 'slow-elsewhere').what, /In 10 sampled requests no await of the application was seen for 94 % of that time: it waits for callbacks, events or streams\./)
  const many = find(sampled([lineOf({ meanMs: 800, durationMs: 900, waits: 200 })]), 'slow-elsewhere')
  assert.match(`${many.what} ${many.instead}`, /at loadOrders \(orders\.js:12\), 20 times each\. .*fetches with 20 awaits \(an N\+1 query\)/)
  const toClients = find({ ...pace, waits: [{ ...routeOf([lineOf({ meanMs: 800, durationMs: 900, awaited: 'node:stream/promises' })], { durationMs: 900 }), clientMs: 7000 }] }, 'slow-elsewhere')
  assert.match(`${toClients.what} ${toClients.instead}`, /For 82 % of it the client had not read yet what was sent\. .*send less/)
  const two = ['loadUser', 'loadOrders'].map(name => lineOf({ meanMs: 400, durationMs: 900, function: name, awaited: 'fetch' }))
  assert.match(find(sampled(two), 'slow-elsewhere').what, /They wait at several lines: loadUser \(orders\.js:12\) 47 % for fetch, loadOrders \(orders\.js:12\) 47 % for fetch\./)
})
