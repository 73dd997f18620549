'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { delayBetween } = require('../../examples/demo/delay')
const { conclude, findGaps, groupStalls } = require('../../examples/demo/findings')

const culprit = { function: 'auth', file: 'app.js', line: 23, column: 1, call: 'pbkdf2Sync', share: 1 }

function record (durationMs, stall = {}) {
  return { msg: `event loop stalled ${durationMs} ms`, stall: { durationMs, cause: 'code', route: 'GET /auth', culprit, ...stall } }
}

function phase ({ answered = 100, p99Ms = 10 } = {}) {
  return { load: { answered, perSecond: answered / 10 }, delay: { p99Ms } }
}

test('groups stalls of the same code, the heaviest first, with the worst as the example', () => {
  const groups = groupStalls([record(120, { route: null, culprit: null }), record(300), record(500), record(200)])
  assert.deepEqual(groups.map(({ count, worstMs, totalMs, example }) => ({ count, worstMs, totalMs, example })), [
    { count: 3, worstMs: 500, totalMs: 1000, example: 'event loop stalled 500 ms' },
    { count: 1, worstMs: 120, totalMs: 120, example: 'event loop stalled 120 ms' }
  ])
})

test('the story does not hold without the right route, the right call or the call in the profile', () => {
  const report = 'pbkdf2Sync node:internal/crypto/pbkdf2:62'
  assert.deepEqual(findGaps({ groups: groupStalls([record(300)]), report }), [])
  assert.equal(findGaps({ groups: groupStalls([record(300, { route: 'GET /other' })]), report }).length, 1)
  assert.equal(findGaps({ groups: groupStalls([record(300, { culprit: null })]), report }).length, 1)
  assert.equal(findGaps({ groups: [], report: 'nothing' }).length, 2)
})

test('concludes nothing that the figures do not say', () => {
  const groups = groupStalls([record(300)])
  const better = conclude({ auth: phase({ p99Ms: 900 }), auth2: phase({ answered: 190 }), groups })
  assert.match(better[0], /^pbkdf2Sync in app\.js:23 stopped the event loop 1 time, for up to 300 ms/)
  assert.match(better[1], /900 ms with \/auth, 10 ms with \/auth2: the asynchronous call left the loop free/)
  assert.match(better[2], /1\.90 times as many/)
  const worse = conclude({ auth: phase(), auth2: phase({ answered: 80 }), groups: [] })
  assert.match(worse[0], /^No stall was traced/)
  assert.match(worse[1], /did not help the loop/)
  assert.match(worse[2], /only 0\.80 times/)
  assert.match(conclude({ auth: phase({ answered: 3 }), auth2: phase(), groups })[2], /^Too few requests/)
})

test('the delay between two readings leaves out what was before the first', () => {
  const reading = (maxMs, ...counts) => ({ maxMs, buckets: [10, 100, Infinity].map((boundMs, index) => ({ boundMs, count: counts[index] })) })
  const risen = delayBetween(reading(200, 5, 5, 6), reading(800, 5, 105, 116))
  assert.equal(risen.maxMs, 800)
  assert.ok(risen.isMaxExact)
  assert.ok(risen.p50Ms > 10 && risen.p50Ms < 100)
  assert.equal(risen.p99Ms, 800, 'beyond the last bound only the maximum is known')
  const calm = delayBetween(reading(200, 5, 5, 6), reading(200, 105, 105, 106))
  assert.equal(calm.maxMs, 10, 'the gauge still shows what was before: the bucket says more')
  assert.ok(!calm.isMaxExact)
})
