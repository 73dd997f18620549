'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { FirstFinding, RecentFigures } = require('../../lib/api/pm2/recent-figures')

const BOUNDS = [0.01, 0.1, 1]
const BEGIN = 1_000_000

/** Counts since the start, as many up to each bound. */
const delayOf = counts => ({ bounds: BOUNDS, counts, count: counts.at(-1), sum: 0 })
const readingOf = ({ counts = [0, 0, 0], recentMaxMs = Infinity, stalls = [] } = {}) => ({ delay: delayOf(counts), recentMaxMs, utilization: 0.256, stalls })
const valuesOf = rows => Object.fromEntries(rows.map(({ name, value }) => [name, value]))

test('before anything happened the rows are there, with zeros', () => {
  const rows = new RecentFigures(BEGIN).take(readingOf(), BEGIN)
  assert.deepEqual(rows.map(({ name, value, unit }) => [name, value, unit]), [
    ['Loop delay p99', 0, 'ms'], ['Loop utilisation', 25.6, '%'], ['Stalls', 0, '/min'], ['Blocked', 0, '%']
  ])
})

test('the delay is that of the last minute, and never more than the longest', () => {
  const figures = new RecentFigures(BEGIN)
  const p99 = (counts, atMs, recentMaxMs) => valuesOf(figures.take(readingOf({ counts, recentMaxMs }), BEGIN + atMs))['Loop delay p99']
  assert.equal(p99([0, 0, 100], 0), 991) // all of them between 100 ms and 1 s
  assert.equal(p99([100, 100, 200], 50_000), 9.9)
  assert.equal(p99([200, 200, 300], 60_000), 9.9) // those of before are a minute ago
  assert.equal(p99([200, 200, 400], 70_000, 300), 300)
  assert.equal(p99([300, 300, 500], 200_000), 9.9)
})

test('stalls count for a minute, and block for the part of them that lies in it', () => {
  const figures = new RecentFigures(BEGIN)
  const stalls = [{ id: 2, at: BEGIN + 50_000, durationMs: 3000 }, { id: 1, at: BEGIN - 5000, durationMs: 8000 }]
  const at = ms => valuesOf(figures.take(readingOf({ stalls }), BEGIN + ms))
  const told = ms => [at(ms).Stalls, at(ms).Blocked]
  assert.deepEqual(told(60_000), [2, 10]) // 3 s + 3 s
  assert.deepEqual(told(62_000), [2, 6.7]) // 3 s + 1 s
  assert.deepEqual(told(63_000), [1, 5])
  assert.deepEqual(told(113_000), [0, 0])
})

test('a clock that was set back does not hide what blocks, nor keep what is over', () => {
  const figures = new RecentFigures(BEGIN)
  const HOUR = 3_600_000
  const at = (ms, stalls) => valuesOf(figures.take(readingOf({ stalls }), BEGIN - HOUR + ms))
  const before = { id: 1, at: BEGIN + 1000, durationMs: 2000 }
  assert.deepEqual([at(0, [before]).Stalls], [0])
  assert.deepEqual([at(60_000, [{ id: 2, at: BEGIN - HOUR + 50_000, durationMs: 6000 }, before])].map(({ Stalls, Blocked }) => [Stalls, Blocked]), [[1, 10]])
})

test('the share of a process that has just begun is that of its life', () => {
  const stalls = [{ id: 1, at: BEGIN + 1000, durationMs: 2000 }]
  assert.equal(valuesOf(new RecentFigures(BEGIN).take(readingOf({ stalls }), BEGIN + 4000)).Blocked, 50)
})

/** One whose findings are these titles, in turn; what is shown at each moment. */
function createSubject (titles) {
  const subject = { asked: 0 }
  const finding = new FirstFinding(async () => {
    const title = titles[subject.asked++]
    if (title instanceof Error) throw title
    return { findings: [{ title }] }
  })
  subject.at = async (atMs, lastStall) => {
    finding.take({ atMs, lastStall })
    await new Promise(setImmediate)
    return finding.take({ atMs, lastStall }).value
  }
  return subject
}

test('findings are read after a stall only, and once a minute at most', async () => {
  const subject = createSubject(['hashing', 'parsing'])
  assert.equal(await subject.at(0, 0), 'nothing stalled yet')
  assert.equal(await subject.at(10_000_000, 0), 'nothing stalled yet')
  assert.equal(subject.asked, 0)
  assert.equal(await subject.at(10_005_000, 1), 'hashing')
  assert.equal(await subject.at(10_010_000, 2), 'hashing')
  assert.equal(await subject.at(10_065_000, 2), 'parsing')
  assert.equal(subject.asked, 2)
})

test('ten minutes after the last of it they are read once more, so that it does not stay for ever', async () => {
  const subject = createSubject(['hashing', 'Nothing is wrong.'])
  await subject.at(0, 1)
  assert.equal(await subject.at(599_000, 1), 'hashing')
  assert.equal(await subject.at(600_000, 1), 'Nothing is wrong.')
  await subject.at(10_000_000, 1)
  assert.equal(subject.asked, 2)
})

test('a title is cut where PM2\'s table would grow too wide, and a reason takes the place of one that is not to be had', async () => {
  assert.equal((await createSubject(['x'.repeat(500)]).at(0, 1)).length, 160)
  assert.equal(await createSubject([new Error('the observer thread is not running')]).at(0, 1), 'not known: the observer thread is not running')
})
