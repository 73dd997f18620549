'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { DelayHistogram } = require('../../lib/probe/loop/delay-histogram')

const SECOND_MICROS = 1e6

/** What back-filling means, tick by tick. */
function delaysStoodInFor (delayMs, periodMs) {
  const delays = []
  for (let lateMs = delayMs; lateMs > 0; lateMs -= periodMs) delays.push(lateMs)
  return delays
}

function countAtMost (reading, boundSeconds) {
  return reading.counts[reading.bounds.indexOf(boundSeconds)]
}

test('a late tick counts for the ticks it stood in for', () => {
  const histogram = new DelayHistogram({ periodMs: 20 })
  for (let tick = 0; tick < 10; tick++) histogram.record(0.4)
  histogram.record(300)

  const reading = histogram.read()
  assert.equal(reading.count, 10 + 15)
  assert.equal(countAtMost(reading, 0.001), 10)
  assert.equal(countAtMost(reading, 0.025), 11) // 20
  assert.equal(countAtMost(reading, 0.1), 15) // 20 … 100
  assert.equal(countAtMost(reading, 0.25), 22) // 20 … 240
  assert.equal(countAtMost(reading, 0.5), 25)
  assert.ok(Math.abs(reading.sum - (0.004 + 2.4)) < 1e-9)
})

test('back-filling by bucket equals counting tick by tick', () => {
  for (const periodMs of [5, 20, 33]) {
    for (const delayMs of [0.7, 5, 19.9, 20, 20.1, 40, 99.5, 100, 163.2, 2500, 12_345.6]) {
      const histogram = new DelayHistogram({ periodMs })
      histogram.record(delayMs)
      const delays = delaysStoodInFor(delayMs, periodMs)
      const { bounds, counts, count, sum } = histogram.read()
      assert.equal(count, delays.length, `${delayMs} ms at ${periodMs} ms`)
      assert.deepEqual(counts, bounds.map(bound => delays.filter(late => late / 1e3 <= bound).length), `${delayMs} ms at ${periodMs} ms`)
      assert.ok(Math.abs(sum - delays.reduce((total, late) => total + late, 0) / 1e3) < 1e-6)
    }
  }
})

test('a delay of days is counted without walking its ticks', () => {
  const histogram = new DelayHistogram({ periodMs: 5 })
  const days = 300
  for (let day = 0; day < days; day++) histogram.record(86_400_000)
  assert.equal(histogram.read().count, days * 86_400_000 / 5) // five thousand million ticks: walking them would take minutes
})

test('quantiles see a stall that one late tick among idle ones would hide', () => {
  const histogram = new DelayHistogram({ periodMs: 20 })
  for (let tick = 0; tick < 99; tick++) histogram.record(0.2)
  assert.ok(histogram.quantileMs(0.99) <= 0.2)
  histogram.record(2000) // half of the 4 s that these ticks span
  assert.ok(histogram.quantileMs(0.5) < 100)
  assert.ok(histogram.quantileMs(0.9) > 1000)
  assert.equal(histogram.quantileMs(1), 2000)
})

test('the recent maximum lasts 30 to 60 s however often it is read, the maximum for ever', () => {
  let nowMicros = 0
  const histograms = [1, 2].map(() => new DelayHistogram({ periodMs: 20, monotonicMicros: () => nowMicros }))
  const [readOften, readOnce] = histograms
  for (let second = 0; second <= 95; second++) {
    nowMicros = second * SECOND_MICROS
    for (const histogram of histograms) histogram.record(second === 10 ? 700 : 1)
    const recent = readOften.recentMaxMs
    if (second === 59) assert.equal(readOnce.recentMaxMs, 700)
    assert.equal(recent, second >= 10 && second < 60 ? 700 : 1)
  }
  assert.equal(readOnce.recentMaxMs, 1)
  nowMicros += 60 * SECOND_MICROS // no tick at all: nothing recent is left
  assert.equal(readOnce.recentMaxMs, 0)
  assert.equal(readOnce.maxMs, 700)
})

test('readers do not disturb each other, an early tick counts as on time', () => {
  const histogram = new DelayHistogram({ periodMs: 20 })
  histogram.record(-0.3)
  histogram.record(7)
  const first = histogram.read()
  first.counts.fill(0)
  const second = histogram.read()
  assert.deepEqual([second.count, countAtMost(second, 0.001), countAtMost(second, 0.01)], [2, 1, 2])
  assert.equal(second.sum, 0.007)
})
