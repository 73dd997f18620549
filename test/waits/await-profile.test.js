'use strict'

// Where requests wait, beside what the application measured itself: by line, of the right route, whatever they await.

const test = require('node:test')
const assert = require('node:assert/strict')
const { startWaiting } = require('./running-waits')

const MAJOR = Number(process.versions.node.split('.')[0])
const SECONDS = 3
const ASKED = ['orders', 'all', 'serial', 'race', 'then', 'files', 'callbacks']
const TOLERANCE = 0.05

/** @returns the shares of a sum */
function sharesOf (all) {
  const sum = Object.values(all).reduce((so, one) => so + one, 0)
  return Object.fromEntries(Object.entries(all).map(([name, one]) => [name, one / sum]))
}

function assertShares (lines, truth, title) {
  const found = {}
  for (const { function: name, awaited, ms, queuedMs } of lines) found[`${name} ${awaited}`] = (found[`${name} ${awaited}`] ?? 0) + ms + queuedMs
  const [shares, expected] = [sharesOf(found), sharesOf(truth)]
  for (const name of new Set([...Object.keys(shares), ...Object.keys(expected)])) {
    assert.ok(Math.abs((shares[name] ?? 0) - (expected[name] ?? 0)) <= TOLERANCE, `${title}: ${name}: ${JSON.stringify({ shares, expected })}`)
  }
}

test('on demand all requests are sampled: lines, shares and routes are those that the application measured', async t => {
  const app = await startWaiting(t, { env: { LOOPSCOPE_WAITS: 'off' } })
  await Promise.all(ASKED.map(app.get))
  assert.deepEqual((await app.read()).value.routes, [], 'off: nothing by itself')
  const before = await app.truth()
  const answer = app.read(`/waits?seconds=${SECONDS}`)
  const untilMs = performance.now() + SECONDS * 1e3 - 600
  await Promise.all([...ASKED, 'hang'].map(async name => {
    while (performance.now() < untilMs) {
      await (name === 'hang' ? app.abort(name) : app.get(name))
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }))
  const { value } = await answer
  const truth = await app.truth()
  for (const [route, lines] of Object.entries(before)) for (const name of Object.keys(lines)) truth[route][name] -= lines[name]
  const routes = Object.fromEntries(value.routes.map(one => [one.route.replace('GET /', ''), one]))
  const diagnosis = JSON.stringify(value, null, 1)
  assert.equal(value.seconds, SECONDS)
  // All of them, where the machine is fast enough for the budget.
  assert.ok(value.sampled > 20 && value.sampled <= value.seen, diagnosis)
  assert.equal(value.seesCallbacks, MAJOR >= 24)

  // With a resource Node.js says what its module waits for.
  const timer = name => MAJOR >= 24 ? name.replace('node:timers/promises', 'timer') : name
  const renamed = lines => Object.fromEntries(Object.entries(lines).map(([name, ms]) => [timer(name), ms]))
  for (const name of ['orders', 'all', 'serial', 'then']) {
    assertShares(routes[name].lines, renamed(truth[name]), name)
    assert.ok(routes[name].unseenMs <= routes[name].totalMs * 0.1, diagnosis)
  }
  const lineOf = (route, name) => routes[route].lines.find(line => line.function === name)
  assert.equal(lineOf('orders', 'loadUser').line, app.lineOf('await db.find(ms)'))
  assert.deepEqual([lineOf('orders', 'loadUser').file, lineOf('orders', 'loadUser').awaited], ['app.js', 'toy-db'])
  assert.ok(lineOf('orders', 'loadUser').callers.some(({ function: name, line }) => name === 'orders' && line === app.lineOf('await loadUser(route, 20)')), diagnosis)
  const queries = routes.orders.lines.find(({ function: name, awaited }) => name === 'loadOrders' && awaited === 'toy-db')
  assert.equal(queries.line, app.lineOf('await db.query(80)'))
  assert.equal(queries.waits, queries.requests)
  assert.equal(lineOf('all', 'all').line, app.lineOf('await Promise.all(['))
  // A race waits for what is in it.
  assert.equal(routes.race.lines[0].function, 'loadUser', diagnosis)
  assert.ok(routes.files.lines.some(({ awaited }) => awaited === (MAJOR >= 24 ? 'file' : 'node:fs/promises')), diagnosis)

  const [inRow] = routes.serial.serial
  assert.deepEqual([inRow.function, inRow.awaits, inRow.maxAwaits], ['serial', 5, 5])
  assert.deepEqual(routes.race.serial, [])

  if (MAJOR >= 24) assertShares(routes.callbacks.lines.map(line => ({ ...line, function: line.line < app.lineOf('function secondStep') ? 'firstStep' : 'secondStep' })), truth.callbacks, 'callbacks')
  else assert.ok(routes.callbacks.unseenMs > routes.callbacks.waitingMs * 0.9, diagnosis)

  // What hangs is answered as it stands.
  assert.equal(routes.hang.lines[0].line, app.lineOf('await new Promise(() => {})'), diagnosis)

  const only = (await app.read('/waits?route=GET%20/serial')).value
  assert.deepEqual(only.routes.map(({ route }) => route), ['GET /serial'])
})

test('some requests are sampled without being asked for, and their slow ones name the line', async t => {
  const app = await startWaiting(t)
  let found
  while (found === undefined) {
    await app.get('orders')
    const { value: { requests } } = await app.read('/slow-requests')
    found = requests.find(({ waitedAt }) => waitedAt !== null)
  }
  const [line] = found.waitedAt
  assert.ok(found.steps.some(({ kind, line: at }) => kind === 'waiting' && at?.function === line.function && at.line === line.line), JSON.stringify(found.steps))
  assert.deepEqual([line.function, line.file, line.line, line.awaited], ['loadOrders', 'app.js', app.lineOf('await db.query(80)'), 'toy-db'])
  const { text } = await app.read('/slow-requests?format=text')
  assert.match(text, /waited for toy-db at loadOrders app\.js:\d+, not for the event loop/)
  assert.match(text, / {2}waited at loadOrders app\.js:\d+ [\d.]+ ms \(toy-db\); /)
  const { value } = await app.read()
  assert.equal(value.seen, null)
  assert.equal(value.routes[0].route, 'GET /orders')
})

test('sampling begins although the loop is blocked when it is asked for', async t => {
  const app = await startWaiting(t)
  const spun = app.get('spin')
  await app.until(/^spinning$/)
  const { status, text } = await app.read('/waits?seconds=1')
  assert.equal(status, 200, text)
  await spun
})
