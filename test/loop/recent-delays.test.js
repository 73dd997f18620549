'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { DelayHistogram } = require('../../lib/probe/loop/delay-histogram')

const near = (value, wanted) => assert.ok(Math.abs(value - wanted) <= wanted * 0.03, `${value} is not ${wanted}`)

test('percentiles, mean and deviation of the recent delays count missed ticks, as the histogram does', () => {
  const histogram = new DelayHistogram({ periodMs: 20 })
  assert.equal(histogram.recent(), null)
  for (let tick = 0; tick < 85; tick++) histogram.record(0.4)
  histogram.record(300) // and 14 missed ones: 280, 260 … 20
  const { minMs, maxMs, meanMs, stddevMs, p50Ms, p90Ms, p99Ms } = histogram.recent()
  const all = [...Array(85).fill(0.4), ...Array.from({ length: 15 }, (_, index) => 20 * (index + 1))]
  const mean = all.reduce((sum, ms) => sum + ms, 0) / 100
  assert.deepEqual([minMs, maxMs], [0.4, 300])
  near(meanMs, mean)
  near(stddevMs, Math.sqrt(all.reduce((sum, ms) => sum + (ms - mean) ** 2, 0) / 100))
  near(p50Ms, 0.4)
  near(p90Ms, 100)
  near(p99Ms, 280)
})

test('they cover the last 30 to 60 seconds, however often they are read', () => {
  let micros = 0
  const histogram = new DelayHistogram({ periodMs: 20, monotonicMicros: () => micros })
  histogram.record(300)
  micros = 45e6
  histogram.record(1)
  assert.equal(histogram.recent().maxMs, 300)
  assert.deepEqual(histogram.recent(), histogram.recent())
  micros = 61e6
  assert.deepEqual([histogram.recent().maxMs, histogram.recent().minMs], [1, 1])
  micros = 200e6
  assert.equal(histogram.recent(), null)
})

test('a delay of days costs no more than one of minutes, and counts as long', () => {
  const histogram = new DelayHistogram({ periodMs: 5 })
  histogram.record(86_400_000)
  const { meanMs, maxMs, p50Ms } = histogram.recent()
  assert.equal(maxMs, 86_400_000)
  near(meanMs, 43_200_000)
  assert.ok(p50Ms > 80_000)
})
