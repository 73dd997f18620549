'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { answered } = require('./answered')

const ADVICE = { why: 'it is slow', instead: 'something else' }
const siteOf = (api, calls, error) => ({
  api, calls, totalMs: 10, standardError: { calls: error, totalMs: error / 1000 }, maxMs: 1, flagged: false, routes: [], advice: ADVICE, callSite: { function: 'f', file: 'a.js', line: 1, column: 1 }
})

/** What the command says of these call sites. */
function shown (t, exact) {
  return answered(t, { sampled: [], exact, totals: null, pool: null }, 'sync')
}

test('a call site that is an estimate has its standard error, and what that is is said once', async t => {
  const { stdout, stderr } = await shown(t, [siteOf('Date.now', 732000, 9000), siteOf('fs.readFileSync', 34, 0)])
  assert.match(stdout, /Date\.now .*732000 ± 9000 calls/)
  assert.match(stdout, /fs\.readFileSync .*34 calls/)
  assert.equal(stderr, '±: an estimate with its standard error; the totals by API are exact, see --json\n')
})

test('of exact counts nothing more is said', async t => {
  assert.equal((await shown(t, [siteOf('fs.readFileSync', 34, 0)])).stderr, '')
})
