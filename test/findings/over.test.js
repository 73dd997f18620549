'use strict'

// A minute later: every figure is of the observed time, and what was wrong before it is reported as over.

const test = require('node:test')
const assert = require('node:assert/strict')
const { earlierReadings } = require('../../lib/observer/findings/earlier')
const { FindingsReader } = require('../../lib/observer/findings/findings')
const { PastReadings } = require('../../lib/observer/findings/past-readings')
const { mergeFindings } = require('../../lib/shared/findings/merge-findings')
const { findFindings } = require('../../lib/observer/findings/find-findings')
const { headline, toMarkdown, toText } = require('../../lib/shared/findings/show')
const { monotonicMs } = require('../../lib/base/monotonic')
const { profileOf } = require('../recorder/crafted')
const { PLACE, readings, spot, stall } = require('./readings')

const CULPRIT = { ...PLACE, functionLine: 20, call: 'pbkdf2Sync', via: null, share: 1 }
const SOURCE = { read: () => [''] }
const MINUTE = 60_000
const login = (at, more) => stall({ at, durationMs: 700, route: 'POST /login', culprit: CULPRIT, ...more })
const ask = (stalls, more) => {
  const now = readings(more)
  return findFindings({ ...now, earlier: earlierReadings(stalls, now, SOURCE) }, { appName: 'shop' })
}
/** Before the observed time, which begins at 1,000,000. */
const INCIDENT = Array.from({ length: 10 }, (_, index) => login(900_000 + index * 750))

test('what was wrong before the observed time is over, with its time, and nothing says that all is well', () => {
  const answer = ask(INCIDENT)
  const [first, ...others] = answer.findings
  assert.deepEqual([first.id, first.severity, first.over, first.where.line, first.lostMs, others], ['hot-sync-call', 'warning', { from: 900_000, to: 907_450 }, 23, 7000, []])
  assert.match(first.title, /^POST \/login spent 100 % of the loop's busy time in crypto\.pbkdf2Sync, called in login/)
  assert.match(first.what, /^It held the loop for 7\.0 s of 10\.0 s, in 10 stalls of up to 700 ms\.$/)
  for (const text of [toText(answer), toMarkdown(answer)]) assert.match(text, /1\. EARLIER, \d\d:15:00 to \d\d:15:07: POST \/login/)
  assert.deepEqual([answer.figures.stalls, answer.observed], [0, { from: 1_000_000, to: 1_060_000 }])
})

test('what is over has commands for what is still kept of it', () => {
  const [first] = ask(INCIDENT.map(one => ({ ...one, culprit: { ...CULPRIT, call: null } }))).findings
  assert.deepEqual([first.id, first.over !== null, first.next], ['hot-function', true, ['npx loopscope stalls 77']])
})

test('it is over for a quarter of an hour, and not while it goes on', () => {
  assert.equal(ask(INCIDENT, { at: 900_000 + 16 * MINUTE, activity: { fromMs: 900_000 + 15 * MINUTE } }).findings[0].id, 'nothing-wrong')
  const now = { activity: { busyMs: 33_000, hotSpots: [spot({ culprit: { call: 'pbkdf2Sync' } })] } }
  assert.deepEqual(ask(INCIDENT, now).findings.map(({ id, over }) => [id, over]), [['hot-sync-call', null]])
})

test('one short stall is no incident; two stretches of the same are one, from the first to the last', () => {
  assert.equal(ask([login(900_000, { durationMs: 150 })]).findings[0].id, 'nothing-wrong')
  const twice = [...INCIDENT, ...INCIDENT.map(one => ({ ...one, at: one.at - 5 * MINUTE }))]
  const [first, ...others] = ask(twice).findings
  assert.deepEqual([first.over, first.lostMs, others.length], [{ from: 600_000, to: 907_450 }, 14_000, 0])
  assert.equal(ask(INCIDENT.map(one => ({ ...one, cause: 'starved', culprit: null, evidence: { cpuMs: 10, runQueueMs: 680, throttledMs: 0 } }))).findings.every(({ over, id }) => over !== null && id !== 'nothing-wrong'), true)
})

test('a long start is over, and stands after what goes on, also of a group', () => {
  const started = { startedAt: 990_000, process: { ...readings().process, startUpMs: 9000 } }
  const answer = ask([], { ...started, activity: { busyMs: 33_000, hotSpots: [spot({ culprit: { call: 'pbkdf2Sync' }, ms: 4000, share: 0.12, stalls: { count: 5, ms: 3500, longestMs: 700 } })] } })
  const expected = [['hot-sync-call', null], ['start-up', { from: 990_000, to: 999_000 }]]
  assert.deepEqual(answer.findings.map(({ id, over }) => [id, over]), expected)
  assert.deepEqual(mergeFindings([{ answer, loop: null }]).findings.map(({ id, over }) => [id, over]), expected)
  assert.match(toText(answer), /2\. EARLIER, \d\d:16:30 to \d\d:16:39: Startup blocked the loop for 9\.0 s\./)
})

test('of a group it is over where it is over, and now where it is now', () => {
  const now = readings({ activity: { busyMs: 33_000, hotSpots: [spot({ culprit: { call: 'pbkdf2Sync' } })] } })
  const parts = [ask(INCIDENT), findFindings(now, { appName: 'shop' })].map(answer => ({ answer, loop: null }))
  assert.deepEqual(mergeFindings(parts).findings.map(({ id, over }) => [id, over]), [['hot-sync-call', null], ['hot-sync-call', { from: 900_000, to: 907_450 }]])
})

test('means and percentiles are of the observed time, and not since the start', async () => {
  const delayCounts = late => ({ bounds: [0.001, 1, 10], counts: [0, 1000, 1000 + late], count: 1000 + late, sum: 0 })
  const processOf = (count, seconds, late) => ({ ...readings().process, uptimeMs: 1e7, routes: [{ route: 'POST /login', count, seconds }], delayCounts: delayCounts(late) })
  const nowMs = monotonicMs()
  const past = { firstSince: () => ({ atMs: nowMs - 50_000, process: processOf(10, 7, 300), outgoing: { calls: [], connections: null } }), connectionsSince: () => [] }
  const find = value => new FindingsReader({
    facts: { appName: 'shop', appRoot: '/app', pid: 7, startedAt: 0, stallThresholdMs: 100 },
    scheduler: { read: () => ({ cpuMs: 1, runQueueMs: 0, throttledMs: null, observerCpuMs: 0, observerRunQueueMs: 0 }), readIo: () => null },
    slowRequests: async () => ({ requests: [] }),
    askProcess: async () => ({ value, isStale: false }),
    view: async ({ fromMs }) => ({ profile: profileOf(Array.from({ length: 6000 }, () => [['(idle)'], 1e4])), fromMs }),
    toOriginal: async profile => profile,
    stalls: () => ({ stalls: [] }),
    loopNow: () => ({ blockedMs: 0 }),
    poolWaits: { read: () => ({ queued: 0, maxWaitMs: 0 }) },
    threadLoad: { read: () => null },
    threadWatch: { busiest: () => [] },
    memory: { state: () => null },
    past,
    betweenMs: 1
  }).find()
  const quiet = await find(processOf(10, 7, 300))
  assert.deepEqual([quiet.findings[0].id, quiet.figures.requestsPerSecond, quiet.figures.delayP99Ms], ['nothing-wrong', 0, 0])
  const late = await find(processOf(10, 7, 400))
  assert.equal(late.figures.delayP99Ms, 100, 'no delay was longer than the longest stall, or than what counts as one')
  const slow = await find(processOf(30, 27, 300))
  assert.match(slow.findings[0].title, /^POST \/login takes 1\.0 s on average, but the event loop is not the cause/)
})

test('an idle process is asked once, and the reading of a stretch is the first in it', async () => {
  let [nowMs, isIdle, asked] = [0, false, 0]
  let take
  const past = new PastReadings({ interval: (ms, work) => { take = work; return () => {} }, isIdle: () => isIdle, ask: async () => ({ value: { routes: [], asked: ++asked }, isStale: false }), now: () => nowMs })
  past.start()
  assert.equal(past.firstSince(0), null)
  for (const idle of [false, false, true, true, true, false]) {
    nowMs += 10_000
    isIdle = idle
    await take()
  }
  assert.equal(asked, 4)
  assert.deepEqual([past.firstSince(15_000).atMs, past.firstSince(31_000).atMs, past.firstSince(61_000).atMs], [20_000, 60_000, 60_000])
})

test('the first line has one stretch of time, one stall is one, and figures have their unit', () => {
  const answer = findFindings(readings({ at: 1_090_000, stalls: [stall()], activity: { busyMs: 33_000, hotSpots: [spot({ share: 0.06912, culprit: { call: 'pbkdf2Sync' } })] } }), { appName: 'shop' })
  assert.match(headline(answer), /^shop \(pid 77\), observed 60 s \(\d\d:16:40 to \d\d:17:40\): utilization 55 %, 1 stall of up to 300 ms, delay p99 12 ms/)
  const proof = toText(answer).split('\n').find(line => line.includes('evidence'))
  assert.match(proof, /busy 7 %, time 30\.0 s, samples 3000, stalls 0/)
  assert.doesNotMatch(toText(findFindings(readings(), { appName: 'shop' })), /\d\.\d{3}/)
})
