'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { SampledCalls } = require('../../lib/observer/sync-calls/sampled-calls')
const { windowOf } = require('./crafted')

const HOUR_MS = 3_600_000
const second = 1e6

/** Calls that were sampled, of an application in /app; `now` is the time that it has. */
function createSubject (changes = {}) {
  const subject = { now: 0, warnings: [] }
  subject.sampled = new SampledCalls({
    appRoot: '/app',
    hasExactCalls: false,
    sourceMaps: { known: frames => [...frames], frames: async frames => [...frames] },
    workLines: () => [],
    warn: (fields, message) => subject.warnings.push({ ...fields, message }),
    now: () => subject.now,
    ...changes
  })
  /** Calls as [call, caller, milliseconds, route]. */
  subject.add = (...calls) => {
    const names = [...new Set(calls.flatMap(([, , , route]) => route ?? []))]
    const window = windowOf(calls.map(([call, caller, ms]) => [call, caller, ms * 1e3]))
    return subject.sampled.addWindow({ ...window, routes: { names, samples: calls.map(([, , , route]) => names.indexOf(route)) } })
  }
  return subject
}

test('what is known is all since the start, with the routes of the samples', () => {
  const { sampled, add } = createSubject()
  add(['readFileSync', 'page', 1000, 'GET /page'])
  add(['readFileSync', 'page', 1000, 'GET /page'])
  add(['readFileSync', 'page', 1000])
  const [{ api, ms, routes }] = sampled.read()
  assert.deepEqual([api, ms, routes], ['fs.readFileSync', 3000, [{ route: 'GET /page', ms: 2000 }, { route: null, ms: 1000 }]])
})

test('the time of each window is counted, also without synchronous calls', () => {
  const { sampled, add } = createSubject()
  assert.deepEqual(add([null, 'page', 1000]), { busyMicros: second, idleMicros: 0 })
  const window = windowOf([['readFileSync', 'page', second]])
  assert.deepEqual(sampled.addWindow({ ...window, endTime: window.endTime + 2 * second }), { busyMicros: second, idleMicros: 2 * second })
})

test('windows add up, by API and caller, heaviest first, with place, share, routes and advice', () => {
  const { sampled, add } = createSubject()
  add(['readFileSync', 'page', 10], ['readFileSync', 'auth', 20, 'POST /auth'], ['readFileSync', 'auth', 15, 'POST /join'])
  add(['readFileSync', 'page', 50], ['statSync', 'page', 5], ['readFileSync', 'auth', 10], [null, 'page', 90])
  const [page, auth, stat] = sampled.read()
  const { advice, ...facts } = auth
  assert.deepEqual(facts, {
    api: 'fs.readFileSync',
    callSite: { function: 'auth', file: 'auth.js', line: 1, column: 1 },
    ms: 45,
    share: 45 / 200,
    routes: [{ route: 'POST /auth', ms: 20 }, { route: 'POST /join', ms: 15 }, { route: null, ms: 10 }],
    flagged: false
  })
  assert.match(advice.instead, /fs\.promises\.readFile/)
  assert.deepEqual([[page.callSite.function, page.ms], [stat.api, stat.ms]], [['page', 60], ['fs.statSync', 5]])
})

test('a place is that of the original source once it is known, and of the line at which a stall has shown it', async () => {
  const lines = [{ function: 'authenticate', file: 'auth.ts', line: 12, column: 5, functionLine: 8 }]
  const original = frame => ({ ...frame, functionName: 'authenticate', url: 'file:///app/auth.ts', lineNumber: 7 })
  let isKnown = false
  const frames = async frames => {
    isKnown = true
    return frames.map(original)
  }
  const { sampled, add } = createSubject({ workLines: () => lines, sourceMaps: { known: frames => isKnown ? frames.map(original) : [...frames], frames } })
  assert.deepEqual(sampled.read(), [])
  add(['readFileSync', 'auth', 10])
  assert.deepEqual(sampled.read()[0].callSite, { function: 'authenticate', file: 'auth.ts', line: 12, column: 5 })
})

test('a hundred thousand callers end in _other, and their time is not lost', () => {
  const { sampled, add } = createSubject()
  for (let window = 0; window < 10; window++) {
    add(...Array.from({ length: 10_000 }, (_, number) => ['readFileSync', `page${window}_${number}`, 0.01]))
  }
  const sites = sampled.read()
  assert.equal(sites.length, 500)
  assert.deepEqual([sites[0].api, sites[0].callSite.function, Math.round(sites[0].ms * 1e3)], ['_other', '_other', (100_000 - 499) * 10])
})

test('routes of one site beyond 20 are _other', () => {
  const { sampled, add } = createSubject()
  add(...Array.from({ length: 60 }, (_, number) => ['readFileSync', 'page', 10, `GET /${number}`]))
  const [{ routes }] = sampled.read()
  assert.equal(routes.length, 21)
  assert.deepEqual(routes[0], { route: '_other', ms: 400 })
})

test('a site that takes 5 % of the time is flagged and logged, again after an hour', () => {
  const subject = createSubject()
  const addAt = (nowMs, ms) => {
    subject.now = nowMs
    subject.add(['readFileSync', 'auth', ms, 'POST /auth'], ['readFileSync', 'rare', 10], [null, 'serve', ms])
  }
  addAt(0, 5000)
  addAt(5000, 5000)
  assert.deepEqual(subject.sampled.read().map(({ callSite, flagged }) => [callSite.function, flagged]), [['auth', true], ['rare', false]])
  assert.equal(subject.warnings.length, 1)
  assert.match(subject.warnings[0].message, /^hot synchronous call: fs\.readFileSync in auth \(auth\.js:1\) for POST \/auth, 50 % of the busy time/)
  assert.equal(subject.warnings[0].syncCall.api, 'fs.readFileSync')
  addAt(HOUR_MS, 60_000_000)
  assert.equal(subject.warnings.length, 2)
  assert.deepEqual(subject.sampled.counts().flagged, [{ api: 'fs.readFileSync', route: '/auth', count: 2 }])
})

test('however short the windows are, rates are taken over ten seconds', () => {
  const subject = createSubject()
  for (let window = 0; window < 100; window++) {
    subject.now = window * 250
    subject.add(['readFileSync', 'auth', 15])
  }
  assert.equal(subject.sampled.read()[0].flagged, true) // 60 ms a second
})

test('where the exact detector watches, sites are flagged, and nothing is logged or counted', () => {
  const { sampled, add, warnings } = createSubject({ hasExactCalls: true })
  add(['readFileSync', 'auth', 9000])
  assert.equal(sampled.read()[0].flagged, true)
  assert.deepEqual([warnings, sampled.counts().flagged], [[], []])
})

test('totals join call sites by API and route template', () => {
  const { sampled, add } = createSubject()
  add(['readFileSync', 'auth', 250, 'POST /auth'], ['readFileSync', 'hash', 125, 'PUT /auth'], ['readFileSync', 'boot', 50])
  assert.deepEqual(sampled.counts(), {
    sampled: [{ api: 'fs.readFileSync', route: '/auth', calls: 0, seconds: 0.375 }, { api: 'fs.readFileSync', route: '', calls: 0, seconds: 0.05 }],
    flagged: []
  })
})

test('a total does not depend on the order of its sites, in which one overtakes another: a counter never falls', () => {
  const seconds = order => {
    const { sampled, add } = createSubject()
    add(...order.map(ms => ['readFileSync', `hash${ms}`, ms]))
    return sampled.counts().sampled.map(sum => sum.seconds)
  }
  const sites = [100.1, 200.2, 300.3, 1.7, 1.1]
  const orders = sites.map((_, at) => [...sites.slice(at), ...sites.slice(0, at)])
  assert.equal(new Set(orders.map(order => order.reduce((sum, ms) => sum + ms / 1e3, 0))).size > 1, true) // plain sums do
  assert.equal(new Set(orders.flatMap(seconds)).size, 1)
})
