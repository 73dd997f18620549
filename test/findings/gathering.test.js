'use strict'

// How readings are gathered when somebody asks, what a stuck main thread leaves of them, and the answer through every door.

const test = require('node:test')
const assert = require('node:assert/strict')
const { FindingsReader } = require('../../lib/observer/findings/findings')
const { PoolWaits } = require('../../lib/observer/sync-calls/pool-probe')
const { toMarkdown, toText } = require('../../lib/shared/findings/show')
const { findFindings } = require('../../lib/observer/findings/find-findings')
const { createDiagnostics } = require('../../lib')
const { errors } = require('../../lib/base/errors')
const { monotonicMs } = require('../../lib/base/monotonic')
const { createSubject } = require('../admin/subject')
const { profileOf } = require('../recorder/crafted')
const { makeScratch } = require('../store/scratch')
const { readings, spot } = require('./readings')

function subject (changes = {}) {
  const asked = { process: 0, view: 0 }
  const findings = new FindingsReader({
    facts: { appName: 'shop', appRoot: '/app', pid: 7, startedAt: 0, stallThresholdMs: 100 },
    scheduler: { read: () => ({ cpuMs: 1, runQueueMs: 0, throttledMs: null, observerCpuMs: 0, observerRunQueueMs: 0 }), readIo: () => null },
    slowRequests: async () => ({ requests: [] }),
    askProcess: async () => { asked.process++; return { value: readings().process, isStale: false } },
    view: async ({ fromMs }) => { asked.view++; return { profile: profileOf(Array.from({ length: 900 }, () => [['login', 'node:pbkdf2Sync'], 1e4])), fromMs } },
    toOriginal: async profile => profile,
    stalls: () => ({ stalls: [] }),
    loopNow: () => ({ blockedMs: 0 }),
    poolWaits: new PoolWaits({ poolSize: 4, warn () {} }),
    threadLoad: { read: () => null },
    threadWatch: { busiest: () => [] },
    memory: { state: () => null },
    betweenMs: 1,
    ...changes
  })
  return { find: () => findings.find(), asked }
}

test('a crowd that asks together shares its answers', async () => {
  const { find, asked } = subject()
  const answers = await Promise.all(Array.from({ length: 20 }, find))
  assert.equal(new Set(answers).size, 1)
  assert.deepEqual(asked, { process: 2, view: 1 })
})

test('without an answer of the main thread it says what the observer knows', async () => {
  const answer = await subject({ askProcess: async () => null, loopNow: () => ({ blockedMs: 5000 }) }).find()
  assert.deepEqual([answer.isStale, answer.blockedMs, answer.figures.delayP99Ms], [true, 5000, null])
  assert.match(answer.findings[0].title, /pbkdf2Sync/)
})

test('without a recorder it says that nothing was recorded', async () => {
  const answer = await subject({ view: async () => { throw new errors.ERR_LOOPSCOPE_RECORDER_OFF('option recorder is false') } }).find()
  assert.equal(answer.findings[0].id, 'too-little-seen')
})

test('a loop that has little to do is observed to the end as long as requests come in', async () => {
  const secondsOf = async (countOf, past) => {
    let asked = 0
    const start = Array.from({ length: 100 }, () => [['load', 'node:readFileSync'], 1e4])
    const idle = Array.from({ length: 2900 }, (_, index) => [[index % 50 === 0 ? 'handler' : '(idle)'], 1e4])
    const process = () => ({ ...readings().process, uptimeMs: 60_000, routes: [{ route: 'GET /', count: countOf(asked++), seconds: 10 }] })
    const { find } = subject({ view: async ({ fromMs }) => ({ profile: profileOf([...start, ...idle]), fromMs }), askProcess: async () => ({ value: process(), isStale: false }), past })
    return Math.round((await find()).observedSeconds)
  }
  assert.deepEqual([await secondsOf(asked => 600 + asked), await secondsOf(() => 600), await secondsOf(() => 0)], [30, 10, 10])
  // In bursts, as requests are answered that wait for each other: at the moment there are none.
  const since = (count, agoMs) => ({ atMs: monotonicMs() - agoMs, process: { routes: [{ route: 'GET /', count, seconds: 1 }], delayCounts: null }, outgoing: { calls: [], connections: null } })
  const past = lately => ({ connectionsSince: () => [], firstSince: fromMs => fromMs < monotonicMs() - 30_000 ? since(100, 50_000) : since(lately, 8000) })
  assert.deepEqual([await secondsOf(() => 600, past(500)), await secondsOf(() => 600, past(590))], [30, 10])
})

test('waits of the pool are those of the time that is asked about', () => {
  let now = 0
  const waits = new PoolWaits({ poolSize: 4, warn () {}, now: () => now })
  for (const waitedMs of [90, 400, 70]) {
    now += 10_000
    waits.note(waitedMs)
  }
  assert.deepEqual(waits.read(15_000), { queued: 2, maxWaitMs: 400 })
  for (let more = 0; more < 100; more++) waits.note(1)
  assert.equal(waits.read(Infinity).queued, 60)
})

test('text and Markdown say the same', () => {
  const answer = findFindings(readings({ activity: { busyMs: 33_000, hotSpots: [spot({ culprit: { call: 'pbkdf2Sync' } })] } }), { appName: 'shop' })
  const text = toText(answer)
  assert.match(text, /^shop \(pid 77\), observed 60 s: utilization 55 %, no stall, delay p99 12 ms, 100 requests\/s\n\n1\. CRITICAL: POST \/login spends 90 %/)
  assert.match(text, /\n {3}where {4}login \(auth\.js:23\), POST \/login\n/)
  const markdown = toMarkdown(answer)
  assert.match(markdown, /^# shop .*\n\n## 1\. CRITICAL: POST \/login/)
  for (const { why, instead, what } of answer.findings) for (const said of [why, instead, what]) assert.ok(text.includes(said) && markdown.includes(said), said)
})

test('the route answers as JSON, text and Markdown', async t => {
  const { ask } = createSubject(t)
  const { value } = await ask('/findings')
  assert.equal(value.findings[0].id, 'nothing-wrong')
  assert.match(String((await ask('/findings?format=text')).body), /^shop .*\n\n1\. OK: No significant problem found/)
  const markdown = await ask('/findings?format=markdown')
  assert.deepEqual([markdown.status, markdown.headers['Content-Type']], [200, 'text/markdown; charset=utf-8'])
  assert.equal((await ask('/findings?format=pdf')).status, 400)
})

test('a handle answers while it runs, and refuses when it does not', async t => {
  const handle = createDiagnostics({ dir: makeScratch(t), signals: false, controlSocket: false, logger: { info () {}, warn () {}, error () {} } })
  await assert.rejects(handle.findings(), { code: 'ERR_LOOPSCOPE_NOT_RUNNING' })
  handle.start()
  const alive = setInterval(() => {}, 1000) // nothing of ours keeps a process alive
  t.after(() => {
    clearInterval(alive)
    return handle.close()
  })
  const { pid, findings } = await handle.findings()
  assert.equal(pid, process.pid)
  assert.ok(findings.length > 0)
})
