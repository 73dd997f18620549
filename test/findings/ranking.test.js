'use strict'

// Which finding comes first, which are left out because another one explains them, and what is said where there is none.

const test = require('node:test')
const assert = require('node:assert/strict')
const { findFindings } = require('../../lib/observer/findings/find-findings')
const { PLACE, readings, spot, stall } = require('./readings')

const ask = changes => findFindings(readings(changes), { appName: 'shop' })
const idsOf = ({ findings }) => findings.map(({ id }) => id)
const hotSpots = (...some) => ({ activity: { busyMs: 33_000, hotSpots: some } })

test('nothing wrong is an answer with its figures', () => {
  const { findings: [only, ...rest], figures } = ask({})
  assert.deepEqual([only.id, only.severity, rest], ['nothing-wrong', 'none', []])
  assert.match(only.title, /utilization 33 %, no stall, delay p99 12 ms/)
  assert.deepEqual(figures, { delayP99Ms: 12, utilization: 0.333, workers: null, longestStallMs: 0, stalls: 0, requestsPerSecond: 100, requestsInFlight: 2 })
})

test('too little is an answer, and so is a recorder that is off', () => {
  assert.equal(ask({ activity: { observedMs: 800, busyMs: 100, gcMs: 0, samples: 10 } }).findings[0].id, 'too-little-seen')
  assert.match(ask({ activity: null, process: null }).findings[0].title, /Nothing was recorded/)
})

test('findings are ranked by severity, then by the time that was lost', () => {
  const slight = spot({ culprit: { call: 'gzipSync', function: 'pack', functionLine: 2 }, ms: 4000, share: 0.1 })
  const heavy = spot({ culprit: { call: 'pbkdf2Sync' } })
  const { findings } = ask({ activity: { busyMs: 40_000, hotSpots: [slight, heavy] } })
  assert.deepEqual(findings.map(({ severity, where }) => [severity, where.function]), [['critical', 'login'], ['warning', 'pack']])
})

test('what another finding explains is left out', () => {
  const full = { activity: { busyMs: 58_000, samples: 5800, hotSpots: [spot()] }, pace: { ms: 1000, routes: [{ route: 'GET /', count: 10, seconds: 9 }] } }
  assert.deepEqual(idsOf(ask(full)), ['hot-function'])
})

test('code that would stall a free machine as well comes before a crowded one', () => {
  const busy = { culprit: { call: 'pbkdf2Sync' }, stalls: { count: 35, ms: 28_000, longestMs: 900 } }
  const own = Array.from({ length: 5 }, () => stall({ durationMs: 800, culprit: spot(busy).culprit, evidence: { cpuMs: 300, runQueueMs: 500 } }))
  const others = Array.from({ length: 3 }, () => stall({ cause: 'starved', evidence: { cpuMs: 20, runQueueMs: 280 } }))
  assert.deepEqual(idsOf(ask({ ...hotSpots(spot(busy)), stalls: [...own, ...others] })), ['hot-sync-call', 'starved'])
})

test('a loop that is crowded out is not blamed for what waits in it', () => {
  const stalls = Array.from({ length: 9 }, () => stall({ cause: 'starved', evidence: { cpuMs: 30, runQueueMs: 270 } }))
  const system = { ms: 1000, cpuMs: 100, runQueueMs: 800, throttledMs: null }
  assert.deepEqual(idsOf(ask({ ...hotSpots(spot({ ms: 29_000, share: 0.9 })), stalls, system })), ['starved'])
})

test('a full loop that waits for a processor is told with what it does in the time that it gets', () => {
  const stalls = Array.from({ length: 9 }, () => stall({ cause: 'starved', evidence: { cpuMs: 30, runQueueMs: 270 } }))
  const system = { ms: 1000, cpuMs: 100, runQueueMs: 800, throttledMs: null }
  const { findings: [first, second] } = ask({ activity: { busyMs: 57_000, hotSpots: [spot({ ms: 40_000, share: 0.7 })] }, stalls, system })
  assert.deepEqual([first.id, second.id, second.severity], ['starved', 'hot-function', 'info'])
})

test('where no stall was counted, a crowded machine is told by its figures alone', () => {
  const { findings: [first] } = ask({ activity: { busyMs: 50_000 }, system: { ms: 1000, cpuMs: 300, runQueueMs: 600, throttledMs: null } })
  assert.equal(first.id, 'starved')
  assert.equal(first.what, 'In the last second, the loop ran 30 % of the time and waited for a CPU 60 % of it.')
})

test('a loop is not said to be run and to wait for more than the whole time', () => {
  const stalls = Array.from({ length: 9 }, () => stall({ cause: 'starved', durationMs: 200, evidence: { cpuMs: 60, runQueueMs: 240 } }))
  const { findings: [first] } = ask({ activity: { busyMs: 50_000 }, stalls, system: { ms: 1000, cpuMs: 400, runQueueMs: 1600, throttledMs: null } })
  assert.match(first.what, /ran 20 % of the time and waited for a CPU 80 % of it/)
})

test('a short stop of the whole process is a note, a long one or one of many is not', () => {
  const severityOf = (...durations) => ask({ stalls: durations.map(durationMs => stall({ cause: 'suspended', durationMs })) }).findings.find(({ id }) => id === 'suspended').severity
  assert.deepEqual([severityOf(110), severityOf(600), severityOf(110, 120, 130, 140, 150)], ['info', 'warning', 'warning'])
})

test('a loop that is blocked now is said to be', () => {
  const [first] = ask({ ...hotSpots(spot()), blockedMs: 4200, process: null, isStale: true }).findings
  assert.match(first.what, /blocked right now, for 4\.2 s/)
})

test('the collector names the package that was called when it ran', () => {
  const { findings } = ask({ activity: { gcMs: 9000, hotSpots: [spot({ ms: 4000, share: 0.1, culprit: { via: { package: 'json2csv', function: 'parse', through: null } } })], categories: { collected: { ms: 9000, where: PLACE } } } })
  const { title, where, instead } = findings.find(({ id }) => id === 'gc-pressure')
  assert.match(title, /while login \(auth\.js:23\) calls json2csv's parse\.$/)
  assert.deepEqual([where.via.package, where.route], ['json2csv', 'POST /login'])
  assert.match(instead, /^call json2csv's parse less often or with less data, and keep what it returns; otherwise allocate less there/)
})

test('what a line leaves to be collected is a consequence of what it does, unless it is the larger part', () => {
  const asked = ms => ask({ activity: { gcMs: 9000, hotSpots: [spot({ ms, ownMs: 30_000, share: 0.5 })], categories: { collected: { ms: 9000, where: PLACE } } } }).findings
  const [first, second] = asked(10_000)
  assert.deepEqual([first.id, second.id, second.severity], ['hot-function', 'gc-pressure', 'info'])
  assert.match(second.title, /takes another 45 %/)
  assert.match(second.what, /The same line has a finding of its own/)
  assert.deepEqual(asked(8000).map(({ id, severity }) => [id, severity === 'info']).find(([id]) => id === 'gc-pressure'), ['gc-pressure', false])
})
