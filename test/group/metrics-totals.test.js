'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { addReports, countedOf, FOLD_AFTER_MS, MAX_GONE, NO_REPORTS } = require('../../lib/observer/group/totals')
const { sumMetrics } = require('../../lib/observer/group/sum-metrics')

const THERE = () => true
const GONE = () => false

/** What a process tells that has counted so much. */
const reading = (memberId, readAtMs, value, openedAtMs = 0) => ({
  memberId,
  openedAtMs,
  readAtMs,
  contentType: 'text/plain',
  metrics: [
    { name: 'c_total', help: '', type: 'counter', aggregator: 'sum', values: [{ labels: {}, value }] },
    { name: 's', help: '', type: 'summary', aggregator: 'sum', values: [{ labels: { quantile: 0.5 }, value: 7 }, { labels: {}, metricName: 's_sum', value }] },
    { name: 'g', help: '', type: 'gauge', aggregator: 'sum', values: [{ labels: {}, value: 100 }] }
  ]
})
const tell = (totals, readings, { isThere = THERE, nowMs = 0 } = {}) => JSON.parse(JSON.stringify(addReports(totals, { readings, isThere, nowMs })))
const counted = totals => sumMetrics(countedOf(totals)).find(({ name }) => name === 'c_total')?.values[0].value

test('counters are kept, gauges and quantiles are not', () => {
  const metrics = sumMetrics(countedOf(tell(NO_REPORTS, [reading('a', 1, 5)])))
  assert.deepEqual(metrics.map(({ name, values }) => [name, values.length]), [['c_total', 1], ['s', 1]])
})

test('of two scrapes that overlap the later reading counts, in whichever order they come', () => {
  const early = reading('a', 1, 5)
  const late = reading('a', 2, 8)
  assert.equal(counted(tell(tell(NO_REPORTS, [early]), [late])), 8)
  assert.equal(counted(tell(tell(NO_REPORTS, [late]), [early])), 8)
})

test('a process that is gone goes on counting, before and after it is folded, and no late report counts twice', () => {
  const a = reading('a', 1, 0.1)
  const both = tell(NO_REPORTS, [a, reading('b', 1, 0.2), reading('c', 1, 0.3)])
  const gone = tell(both, [], { isThere: GONE })
  const folded = tell(gone, [], { isThere: GONE, nowMs: FOLD_AFTER_MS })
  const late = tell(folded, [reading('a', 2, 0.4)], { nowMs: FOLD_AFTER_MS })
  assert.deepEqual([both, gone, folded, late].map(counted), [0.6, 0.6, 0.6, 0.6])
  assert.deepEqual([gone, folded, late].map(({ reports }) => Object.keys(reports).length), [3, 0, 0])
})

test('one that is there again after a while was never gone', () => {
  const gone = tell(tell(NO_REPORTS, [reading('a', 1, 5)]), [], { isThere: GONE })
  const back = tell(tell(gone, [], { nowMs: FOLD_AFTER_MS - 1 }), [reading('a', 2, 6)], { nowMs: FOLD_AFTER_MS * 2 })
  assert.equal(counted(back), 6)
  assert.equal(Object.keys(back.reports).length, 1)
})

test('a process that closes and starts again counts on from what it had', () => {
  const again = tell(tell(NO_REPORTS, [reading('a', 1, 5)]), [reading('a', 9, 2, 8)])
  assert.equal(counted(again), 7)
  assert.equal(counted(tell(again, [reading('a', 10, 3, 8)])), 8)
  assert.equal(Object.keys(tell(again, [], { nowMs: FOLD_AFTER_MS }).reports).length, 1)
})

test('a crash loop leaves a bounded number of processes, and all of their counts', () => {
  let totals = NO_REPORTS
  for (let count = 1; count <= MAX_GONE * 2; count++) {
    totals = tell(totals, [reading(`p${count}`, 1, 1)], { isThere: id => id === `p${count}`, nowMs: count })
    assert.equal(counted(totals), count)
  }
  assert.equal(Object.keys(totals.reports).length, MAX_GONE + 1)
})
