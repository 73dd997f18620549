'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { ApiCalls, Site } = require('../../lib/probe/sync-calls/site-table')
const { startDetector, sitesOf } = require('./started')

const TARGET = { api: 'fs.statSync', isCounted: false }

/** A deviation that chance exceeds once in 500 million runs. */
const STANDARD_ERRORS = 6

function createSubject (...names) {
  const calls = new ApiCalls(TARGET)
  const sites = Object.fromEntries(names.map(name => [name, new Site(TARGET, { function: name, file: 'app.js', line: 1, column: 1 })]))
  for (const site of Object.values(sites)) calls.addSite(site)
  /** So many calls, of which some are drawn. */
  function make (count, msEach, drawn) {
    calls.calls += count
    calls.ms += count * msEach
    for (const [name, weight] of drawn) calls.add(sites[name], weight, msEach, 'GET /')
  }
  const read = options => Object.fromEntries(calls.read(options).map(({ site, reading }) => [site.place.function, reading]))
  return { calls, make, read }
}

test('a burst of cheap calls from one place is counted exactly, total and site', t => {
  const detector = startDetector(t, { apis: ['Date.now'] })
  for (let call = 0; call < 800_000; call++) Date.now()
  detector.stop()
  const { totals, sites } = detector.read()
  assert.deepEqual(totals, [{ api: 'Date.now', calls: 800_000, totalMs: 0 }])
  const [site] = sitesOf(sites, 'Date.now', __filename)
  assert.deepEqual([site.calls, site.standardError], [800_000, { calls: 0, totalMs: 0 }])
})

test('where calls come from several places the total is exact, and a site has its possible error', t => {
  const detector = startDetector(t, { apis: ['Date.now'] })
  for (let call = 0; call < 200_000; call++) {
    Date.now()
    if (call % 4 === 0) Date.now()
  }
  detector.stop()
  const { totals: [total], sites } = detector.read()
  assert.equal(total.calls, 250_000)
  const [often, seldom] = sitesOf(sites, 'Date.now', __filename)
  assert.ok(Math.abs(often.calls + seldom.calls - 250_000) <= 1)
  for (const [site, calls] of [[often, 200_000], [seldom, 50_000]]) {
    assert.ok(site.standardError.calls > 0)
    assert.ok(Math.abs(site.calls - calls) <= STANDARD_ERRORS * site.standardError.calls, `${site.calls} ± ${site.standardError.calls}, is ${calls}`)
  }
})

test('calls before and after the first server count apart', t => {
  const detector = startDetector(t, { apis: ['Date.now'] })
  detector.armed = false
  for (let call = 0; call < 5000; call++) Date.now()
  detector.armed = true
  for (let call = 0; call < 3000; call++) Date.now()
  detector.stop()
  const { totals, startUp } = detector.read()
  assert.deepEqual(totals, [{ api: 'Date.now', calls: 3000, totalMs: 0 }])
  assert.equal(startUp.sites.reduce((sum, { calls }) => sum + calls, 0), 5000)
})

test('sites share what was counted, and what was looked at one by one stays as it is', () => {
  const { make, read } = createSubject('fast', 'slow')
  make(1, 20, [['slow', 1]])
  make(1000, 0.5, [['fast', 400], ['fast', 400]])
  const { fast, slow } = read({ isSettled: false })
  assert.deepEqual([slow.calls, slow.totalMs, slow.standardError], [1, 20, { calls: 0, totalMs: 0 }])
  assert.deepEqual([fast.calls, fast.totalMs, fast.standardError], [1000, 500, { calls: 0, totalMs: 0 }])
})

test('a standard error is of the part that was not counted', () => {
  const { make, read } = createSubject('one', 'other')
  make(1000, 0, [['one', 250], ['one', 250], ['one', 250], ['other', 250]])
  const { one, other } = read({ isSettled: false })
  assert.deepEqual([one.calls, other.calls], [750, 250])
  // w(w - 1) = 62250 for each that was drawn: 3 · 62250 · 0.25² + 62250 · 0.75²
  assert.equal(one.standardError.calls, Math.ceil(Math.sqrt(62250 * (3 * 0.0625 + 0.5625))))
  assert.equal(other.standardError.calls, one.standardError.calls)
})

test('what is settled never goes back, whatever is drawn later', () => {
  const { calls, make, read } = createSubject('one', 'other')
  let before = { one: { calls: 0 }, other: { calls: 0 } }
  for (const drawn of [[['one', 90]], [['other', 30], ['one', 200]], [], [['other', 500]]]) {
    make(100, 0.1, drawn)
    calls.settle()
    const settled = read({ isSettled: true })
    assert.ok(settled.one.calls >= before.one.calls && settled.other.calls >= before.other.calls)
    before = settled
  }
  assert.equal(before.one.calls + before.other.calls, 400)
})
