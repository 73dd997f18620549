'use strict'

// What is said of requests that are never answered, by what is known of where they wait; and that slow ones are none.

const test = require('node:test')
const assert = require('node:assert/strict')
const { findFindings } = require('../../lib/observer/findings/find-findings')
const { readings } = require('./readings')
const { lineOf, routeOf } = require('./waiting')

const ROUTE = 'GET /orders'
const underWay = (ages, changes = {}) => ages.map(ageMs => ({ route: ROUTE, method: 'GET', at: 0, ageMs, state: 'waiting', waits: [], clientGone: false, traceId: null, ...changes }))
const answered = (count, seconds, changes = {}) => ({ process: { routes: [{ route: ROUTE, count, seconds, ...changes }] } })
const AGES = [40_000, 38_000, 36_000, 34_000]
const HUNG = { ...answered(200, 2), underWay: underWay(AGES) }
const sampled = lines => ({ openWaits: [{ ...routeOf(lines), open: 4 }] })

function find (changes) {
  return findFindings(readings(changes), { appName: 'shop' }).findings.find(({ id }) => id === 'hanging-requests')
}

test('requests that take far longer than others of their route hang', () => {
  const { title, what, where, instead, severity } = find(HUNG)
  assert.equal(title, '4 requests of GET /orders hang: the oldest has been under way for 40.0 s, others take 10 ms.')
  assert.match(what, /^Where they wait was not sampled yet\.$/)
  assert.match(instead, /^answer on every path/)
  assert.deepEqual([where, severity], [null, 'warning'])
})

test('where they wait is the line at which most of those that were not answered wait', () => {
  const { what, where, confidence } = find({ ...HUNG, ...sampled([lineOf({ meanMs: 10, function: 'load', open: 1 }), lineOf({ meanMs: 5, open: 3 }), lineOf({ meanMs: 90, function: 'slow', open: 0 })]) })
  assert.equal(what, 'They wait at loadOrders (orders.js:12), and it does not come.')
  assert.deepEqual([where.function, where.route, confidence], ['loadOrders', ROUTE, 'high'])
})

test('where most of them wait for nothing, they were forgotten', () => {
  const { what, why, where } = find({ ...HUNG, ...sampled([lineOf({ meanMs: 90, open: 1 })]) })
  assert.equal(what, 'None of their functions awaits anything any more.')
  assert.match(why, /returned without an answer/)
  assert.equal(where, null)
})

test('what they wait for decides what to do: a connection, a database, the other side', () => {
  const advice = changes => {
    const { what, instead } = find({ ...HUNG, ...changes })
    return `${what} ${instead}`
  }
  const calling = operation => ({ underWay: underWay(AGES, { waits: [{ kind: 'http', operation, target: 'prices:80', calls: 1, ms: 9000 }] }) })
  assert.match(advice(sampled([lineOf({ meanMs: 90, open: 4, awaited: 'tarn', via: 'knex', poolMs: 900 })])), /for a connection of knex, and get none\. give each connection back/)
  assert.match(advice(sampled([lineOf({ meanMs: 90, open: 4, awaited: 'pg-pool' })])), /for pg-pool: for a connection, or for the answer to a query\. .*idle in transaction/)
  assert.match(advice(calling('acquire')), /for a connection of http prices:80, and get none\. read each response to its end/)
  assert.match(advice({ ...calling('GET'), ...sampled([lineOf({ meanMs: 90, open: 4, awaited: 'fetch' })]) }), /at loadOrders \(orders\.js:12\) for http GET prices:80, which has not been answered\. set a timeout/)
})

test('what called back in requests that were answered is not what the others wait for, and those that no route took were lost before it', () => {
  assert.equal(find({ ...HUNG, ...sampled([lineOf({ meanMs: 90, open: 4, awaited: 'timer' })]) }).what, 'They wait at loadOrders (orders.js:12), and it does not come.')
  const unmatched = find({ underWay: underWay(AGES, { route: 'GET _unmatched' }), openWaits: [{ ...routeOf([]), route: 'GET _unmatched', open: 4 }] })
  assert.match(unmatched.why, /^no route was reached: a middleware before it neither answers nor calls next\(\)/)
})

test('a route whose requests hang is not reported as slow as well', () => {
  const pace = { ms: 60_000, routes: [{ route: ROUTE, count: 40, seconds: 200 }] }
  const ids = findFindings(readings({ ...HUNG, pace }), { appName: 'shop' }).findings.map(({ id }) => id)
  assert.deepEqual(ids, ['hanging-requests'])
})

test('clients that gave up are counted, and do not count as answered', () => {
  const gone = { ...answered(204, 202, { goneCount: 4, goneSeconds: 200 }), underWay: underWay(AGES, { clientGone: true }) }
  const { title, what } = find(gone)
  assert.match(title, /others take 10 ms\.$/)
  assert.equal(what, 'Where they wait was not sampled yet. Their clients have all given up.')
})

test('slow requests do not hang, nor do few, jobs, responses and requests under way, or those behind a busy loop', () => {
  assert.equal(find({ ...HUNG, ...answered(200, 600) }), undefined, 'they take 3 s')
  assert.equal(find({ ...HUNG, underWay: underWay(AGES.slice(0, 2)) }), undefined)
  assert.equal(find({ ...HUNG, underWay: underWay([14_000, 13_000, 12_000]) }), undefined)
  const longest = status => ({ ...HUNG, slow: [{ route: ROUTE, status, durationMs: 30_000, waits: [] }] })
  assert.equal(find(longest(200)), undefined, 'a few of the route take this long')
  assert.ok(find(longest(499)))
  assert.equal(find({ ...HUNG, underWay: underWay(AGES, { method: 'job', route: 'job resize' }) }), undefined)
  for (const state of ['sending', 'receiving', 'running', 'loop']) assert.equal(find({ ...HUNG, underWay: underWay(AGES, { state }) }), undefined)
  assert.equal(find({ ...HUNG, blockedMs: 30_000 }), undefined)
  assert.equal(find({ ...HUNG, activity: { busyMs: 59_000 } }), undefined)
})

test('where hardly any of the route was answered, it may be a long poll', () => {
  const { title, instead, confidence } = find({ underWay: underWay(AGES) })
  assert.equal(title, '4 requests of GET /orders hang: the oldest has been under way for 40.0 s.')
  assert.match(instead, /where it is a long poll, nothing is wrong$/)
  assert.equal(confidence, 'medium')
  assert.equal(find({ underWay: underWay([29_000, 28_000, 27_000]) }), undefined)
})
