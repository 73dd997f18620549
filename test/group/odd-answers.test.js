'use strict'

// Answers that no process of this version gives: of another version, or of something else on the socket. They are missing, and cost nobody
// else anything, now and later.

const test = require('node:test')
const assert = require('node:assert/strict')
const http = require('node:http')
const path = require('node:path')
const { createGroupMetrics } = require('../../lib/observer/group/group-metrics')
const { createMetricsState } = require('../../lib/observer/group/metrics-state')
const { tableLines } = require('../../lib/cli/output/table')
const { toGroupMarkdown, toGroupText } = require('../../lib/shared/findings/show')
const { ANSWERS, readAnswer } = require('../../lib/shared/group/answers')
const { askGroup } = require('../../lib/shared/group/ask-group')
const { askForGroupAnswer, mergeOverview, mergeRequests, mergeSlowRequests, mergeStalls, mergeSyncCalls } = require('../../lib/shared/group/group-answers')
const { groupCaptures } = require('../../lib/shared/group/group-captures')
const { groupCpuProfile, groupHeapProfile } = require('../../lib/observer/group/group-profiles')
const { showLocation } = require('../../lib/cli/output/display')
const { mergeWaits } = require('../../lib/shared/group/merge-waits')
const { mergeFindings } = require('../../lib/shared/findings/merge-findings')
const { addReports, countedOf, NO_REPORTS } = require('../../lib/observer/group/totals')
const { sumMetrics } = require('../../lib/observer/group/sum-metrics')
const { writeExposition } = require('../../lib/shared/group/exposition')
const { IN_FLIGHT } = require('../admin/subject')
const { parseBounded } = require('../../lib/base/shapes')
const { localTime } = require('../../lib/base/local-time')
const { listen } = require('../http/listening')
const { makeShortScratch } = require('../store/scratch')

const PLACE = { function: 'login', file: 'login.js', line: 3, column: 1 }
const CULPRIT = { ...PLACE, functionLine: 2, call: 'pbkdf2Sync', via: { package: 'p', function: 'f', through: { package: 'q', function: 'g' } }, share: 1 }
const STALL = { id: 1, at: 5, durationMs: 200, startingUp: false, cause: 'code', route: 'GET /a', trace: null, culprit: CULPRIT, stack: [PLACE], evidence: {} }
const FINDING = { id: 'hot-function', title: 'It is slow', severity: 'warning', share: 0.1, lostMs: 5, since: 1, what: '', where: { ...PLACE, functionLine: 3, via: null, route: null }, why: '', instead: '', evidence: { ms: 5, text: 'x', none: null }, confidence: 'high', next: ['x'] }
const CALL = { api: 'fs.readFileSync', callSite: PLACE, flagged: false, advice: { instead: 'x' }, routes: [{ route: 'GET /a', calls: 1, ms: 10 }], ms: 10, share: 0.2 }
const WAIT = { ...PLACE, requests: 3, ms: 30 }
const WAITS = { route: 'GET /a', requests: 3, open: 0, truncated: 0, totalMs: 100, waitingMs: 60, unseenMs: 0, clientMs: 0, uploadMs: 0, lines: [{ ...WAIT, awaited: null, via: null, resumedBy: PLACE, longest: PLACE, together: 0, callers: [PLACE], waits: 3, queuedMs: 1, poolMs: 0, turnMs: 0, sharedMs: 0, share: 0.3, p50Ms: 10, p99Ms: 12, maxMs: 12 }], serial: [{ ...WAIT, awaits: 2, maxAwaits: 3 }] }
const VALUE = { labels: { route: 'a' }, value: 1 }

const GOOD = {
  stalls: { stalls: [STALL, { ...STALL, culprit: { ...CULPRIT, function: '(anonymous)' } }], current: { at: 5, durationMs: 3, route: null, culprit: CULPRIT, stack: [PLACE] }, totals: { count: 1, blockedMs: 200, byCause: [{ cause: 'code', count: 1, ms: 200 }], byRoute: [{ route: null, count: 1, ms: 200 }] }, blockedMs: 5 },
  loop: { delay: { utilization: 0.5, p99Ms: 3 }, memory: { rssBytes: 5, heapUsedBytes: 4 }, blockedMs: 0, isStale: false },
  findings: { at: 1, pid: 2, appName: 'shop', observedSeconds: 10, blockedMs: 0, isStale: false, figures: { delayP99Ms: 1, utilization: 0.2, workers: null, longestStallMs: 0, stalls: 0, requestsPerSecond: 10, requestsInFlight: null }, findings: [FINDING] },
  syncCalls: { sampled: [CALL], exact: [{ ...CALL, calls: 3, totalMs: 10, maxMs: 4, standardError: { calls: 3, totalMs: 0 } }], totals: [{ api: 'fs.readFileSync', calls: 3, totalMs: 10 }], pool: { queued: 1, maxWaitMs: 5 } },
  requests: IN_FLIGHT,
  waits: { seconds: null, seen: null, sampled: 3, seesCallbacks: false, isStale: false, routes: [WAITS] },
  slowRequests: { isStale: false, at: 1, requests: [{ at: 1, route: 'GET /a', status: 200, durationMs: 5, unreadMs: 0, ownMs: 1, behindMs: 3, behind: [{ route: null, ms: 3 }], gcMs: 1, waitingMs: 0, waits: [], steps: [{ kind: 'waiting', atMs: 0, ms: 5, route: null, call: { kind: 'redis', operation: 'GET', target: 'a' }, line: { ...PLACE, awaited: null, via: null } }], traceId: null }] },
  metrics: {
    openedAtMs: 1,
    readAtMs: 5,
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    metrics: [
      { name: 'c_total', help: 'c', type: 'counter', aggregator: 'sum', values: [VALUE] },
      { name: 'g', help: 'g', type: 'gauge', aggregator: 'max', values: [VALUE] },
      { name: 'h', help: 'h', type: 'histogram', aggregator: 'sum', values: [{ labels: { le: 1 }, metricName: 'h_bucket', value: 1 }, { labels: { le: '+Inf' }, metricName: 'h_bucket', value: 1 }, { labels: {}, metricName: 'h_sum', value: 0.1 }] }
    ]
  },
  capture: { id: 'x', artifact: { name: 'a.heapprofile', format: 'json', bytes: 5, contentType: 'x', from: 1, to: 2, sha256: 'x' } },
  cpuProfile: { nodes: [{ id: 1, callFrame: { functionName: '(root)', scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 }, hitCount: 1, positionTicks: [{ line: 1, ticks: 1 }] }], startTime: 1, endTime: 5, samples: [1], timeDeltas: [4], routes: { names: ['GET /a'], samples: [0] } },
  heapProfile: { head: { id: 1, selfSize: 5, callFrame: { functionName: '(root)', scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 }, children: [] }, samples: [{ size: 5, nodeId: 1, ordinal: 1 }] }
}

const ODD = [null, undefined, true, 5, -1, 1e308, 'x', 'NaN', '', [], [null], [[]], {}, { values: null }, { length: -1 }, 'constructor', 'a"\n} 5']
const WHOLE = [null, 5, 'x', [], {}, [null], { stalls: null }, { metrics: [{ name: 'x' }] }, { metrics: [5] }, { findings: [null], figures: [] }, { requests: {} }, { sampled: 1 }, { error: 'x' }]

/** The same data with one member, at any depth, being something else; and without it. */
function * variantsOf (data) {
  for (const [name, value] of Object.entries(data)) {
    const withOther = other => Array.isArray(data) ? data.map((one, at) => String(at) === name ? other : one) : { ...data, [name]: other }
    for (const odd of ODD) yield withOther(odd)
    if (value !== null && typeof value === 'object') for (const variant of variantsOf(value)) yield withOther(variant)
  }
}

const bodyOf = data => Buffer.from(JSON.stringify(data) ?? '')
const read = (kind, data) => readAnswer({ problem: null, body: bodyOf(data) }, kind)

/** Members of a group, each with a server that answers as it is told. */
async function serve (t, answers) {
  const folder = makeShortScratch(t)
  return Promise.all(answers.map(async (answer, at) => {
    const socketPath = path.join(folder, `${at}.s`)
    await listen(t, http.createServer((request, response) => response.end(answer(request.url))), socketPath)
    return { id: `${at + 1}-1-1`, pid: at + 1, startedAt: at, appName: 'shop', group: 'shop', instance: null, socketPath }
  }))
}

const KIND_OF = { '/stalls': 'stalls', '/loop': 'loop', '/findings': 'findings', '/sync-calls': 'syncCalls', '/slow-requests': 'slowRequests', '/requests': 'requests', '/waits': 'waits', '/metrics': 'metrics', '/captures': 'capture', '/cpu': 'cpuProfile', '/heap-profile': 'heapProfile' }
const well = url => bodyOf(GOOD[KIND_OF[url.split('?')[0]]])
const MERGED = ['overview', 'findings', 'stalls', 'sync-calls', 'slow-requests', 'requests', 'waits']

/** The metrics of a group whose totals are in a folder of their own. */
function metricsOf (t, members) {
  const folder = makeShortScratch(t)
  const controlDir = path.join(folder, 'user', 'control')
  const group = 'shop'
  const there = { members }
  const metrics = createGroupMetrics({ controlDir, group, memberId: members[0].id, members: async () => there.members, isRunning: () => false, warn: problem => assert.fail(problem) })
  return { there, state: createMetricsState({ controlDir, group }), read: async () => (await metrics.read(new AbortController().signal)).text }
}

test('a member that answers something else is missing in every merged answer, and the others are in it', async t => {
  const odd = { body: Buffer.from('') }
  const members = await serve(t, [well, () => odd.body])
  const metrics = metricsOf(t, members)
  for (const value of [...WHOLE.map(bodyOf), Buffer.from('{'), Buffer.from('[{"a":'.repeat(50))]) {
    odd.body = value
    const what = value.toString().slice(0, 30)
    for (const name of MERGED) {
      const answer = await askForGroupAnswer(name, { name: 'shop', members })
      assert.deepEqual([answer.complete, answer.processes.map(({ problem }) => problem === null)], [false, [true, false]], `${name}: ${what}`)
    }
    assert.match(await metrics.read(), /^c_total\{route="a"\} 1$[^]*loopscope_up\{pid="2"\} 0|loopscope_up\{pid="2"\} 0[^]*^c_total\{route="a"\} 1$/m, what)
    const ask = (url, question) => askGroup(members, url, question)
    const now = Date.now()
    const cpu = await groupCpuProfile(ask, { fromMs: now - 1000, toMs: now })
    const heap = await groupHeapProfile(ask, { mode: 'live', seconds: undefined })
    const captures = await groupCaptures(members, { kind: 'heap-profile', body: {} }, new AbortController().signal)
    assert.deepEqual([cpu.answered, heap.answered, captures.map(({ problem }) => problem === null)], [1, 1, [true, false]], what)
  }
})

test('whatever member of an answer is odd, the answer is missing or can be merged and shown', () => {
  const member = { id: '1-1-1', pid: 1, appName: 'a', instance: null, startedAt: 1 }
  const parts = (kind, value, loop = GOOD.loop) => [{ member, answer: GOOD[kind], loop: GOOD.loop }, { member, answer: value, loop }, { member, answer: GOOD[kind], loop: GOOD.loop }]
  const uses = {
    stalls (value) {
      const merged = mergeStalls(parts('stalls', value))
      const { showCulprit, showDuration } = require('../../lib/cli/output/display')
      for (const stall of [...merged.stalls, ...merged.current]) [showCulprit(stall), localTime(stall.at), showDuration(stall.durationMs)].forEach(assert.ok)
      return [merged, mergeOverview(parts('stalls', value), [member])]
    },
    loop: value => mergeOverview(parts('stalls', GOOD.stalls, value), [member]),
    findings (value) {
      const answer = { group: 'shop', ...mergeFindings(parts('findings', value)) }
      return [toGroupText(answer, 'x'), toGroupMarkdown(answer, 'x')]
    },
    syncCalls (value) {
      const { sampled, exact } = mergeSyncCalls(parts('syncCalls', value))
      return tableLines([{ title: 'WHERE', cell: ({ callSite }) => callSite.file }, { title: 'X', cell: ({ routes, advice }) => `${routes.map(({ route }) => route)} ${advice.instead}` }], [...sampled, ...exact ?? []], 80)
    },
    requests (value) {
      const { describeCounts } = require('../../lib/shared/requests/summary')
      const { describeState } = require('../../lib/shared/requests/describe')
      const { members, requests } = mergeRequests(parts('requests', value))
      return [...members.map(member => describeCounts(member, 1)), ...requests.map(request => [describeState(request, ''), localTime(request.at)])]
    },
    waits: value => mergeWaits(parts('waits', value)).routes.map(({ lines, serial }) => [...lines, ...serial].map(line => showLocation(line))),
    slowRequests (value) {
      const { describeSlow, describeStep } = require('../../lib/shared/requests/describe')
      return mergeSlowRequests(parts('slowRequests', value)).requests.map(request => [describeSlow(request), localTime(request.at), request.steps.map(describeStep)])
    },
    metrics (value) {
      const readings = [{ ...GOOD.metrics, memberId: 'a' }, { ...value, memberId: 'b' }].filter(({ openedAtMs }) => openedAtMs !== null)
      const reports = addReports(NO_REPORTS, { readings, isThere: () => false, nowMs: 0 })
      const later = addReports(reports, { readings: [], isThere: () => false, nowMs: 1e9 })
      const text = writeExposition(sumMetrics([value.metrics, ...countedOf(reports), ...countedOf(later)]), value.contentType)
      for (const line of text.split('\n')) assert.match(line, /^(#.*|[^\s{]+(\{.*\})? (NaN|[+-]?(Inf|[\d.e+-]+)))?$/, text)
      const counted = sumMetrics(countedOf(later)).flatMap(({ values }) => values)
      for (const { value } of counted) assert.ok(Number.isFinite(value), JSON.stringify(value))
      return text
    },
    capture: ({ artifact }) => [artifact?.name, artifact?.bytes]
  }
  for (const [kind, use] of Object.entries(uses)) {
    assert.equal(read(kind, GOOD[kind]).problem, null, kind)
    let missing = 0
    for (const variant of variantsOf(GOOD[kind])) {
      const { value, problem } = read(kind, variant)
      if (problem !== null) missing++
      else assert.doesNotThrow(() => JSON.stringify(use(value)), JSON.stringify(variant))
    }
    assert.ok(missing > 20, `${kind}: ${missing}`)
  }
})

test('an odd profile spoils no merged one', async () => {
  for (const kind of ['cpuProfile', 'heapProfile']) {
    for (const variant of variantsOf(GOOD[kind])) {
      const answers = [GOOD[kind], variant, GOOD[kind]].map((data, at) => ({ member: { id: String(at), pid: at }, problem: null, body: bodyOf(data) }))
      const merged = kind === 'cpuProfile'
        ? await groupCpuProfile(async () => answers, { fromMs: 0, toMs: 0 })
        : await groupHeapProfile(async () => answers, { mode: 'live', seconds: undefined })
      assert.ok(merged.answered >= 2, JSON.stringify(variant))
      const { profile } = merged
      const values = kind === 'cpuProfile' ? [...profile.timeDeltas, ...profile.nodes.map(({ hitCount }) => hitCount), ...profile.nodes.flatMap(({ positionTicks = [] }) => positionTicks.flatMap(Object.values))] : [profile.head.selfSize, ...profile.samples.map(({ size }) => size)]
      for (const value of values) assert.ok(Number.isFinite(value), JSON.stringify(variant))
    }
  }
})

test('what was kept and is odd is dropped when it is read, and the rest counts on', async t => {
  const [member] = await serve(t, [well])
  const { state, read: scrape } = metricsOf(t, [member])
  await scrape()
  const [own] = Object.values(state.read().reports)
  const odd = [null, 5, {}, { memberId: 'z', openedAtMs: 0, readAtMs: 1, goneSinceMs: null, metrics: [{ name: 'x' }, null] }, { memberId: 'y', openedAtMs: 0, readAtMs: 1, goneSinceMs: 1e300, metrics: 5 }]
  for (const kept of [5, [], 'x', { reports: 5 }, { told: 5 }, { reports: [null], departed: {}, folded: 5 }]) {
    state.update(() => kept)
    assert.match(await scrape(), /^c_total\{route="a"\} 1$/m, JSON.stringify(kept))
  }
  state.update(() => ({ reports: { ...[{ ...own, memberId: 'gone', metrics: [null, ...own.metrics] }, ...odd] }, departed: [null, { name: 'x' }, 5, ...own.metrics], folded: [null, {}] }))
  assert.match(await scrape(), /^c_total\{route="a"\} 3$/m)
  state.update(() => ({ told: { gone: { ...own, memberId: 'gone' } }, departed: own.metrics, folded: [] })) // as 0.1.0 stored it
  assert.match(await scrape(), /^c_total\{route="a"\} 3$/m)
})

test('an answer of nested brackets is refused before it is parsed, and one that is too long is not read', async t => {
  const deep = Buffer.from('['.repeat(1_000_000) + ']'.repeat(1_000_000))
  assert.throws(() => parseBounded(deep), /nested/)
  assert.throws(() => parseBounded(Buffer.from(`[${'[],'.repeat(1_000_000)}0]`)), /too many/)
  const texts = JSON.parse(JSON.stringify({ a: ['"', '\\', '\\"[[[', '['.repeat(100), 'x\\\\'], b: [[[1]]] }))
  assert.deepEqual(parseBounded(bodyOf(texts)), texts)
  const members = await serve(t, [well, () => deep])
  for (const name of MERGED) assert.equal((await askForGroupAnswer(name, { name: 'shop', members })).processes[1].up, true)
  const long = await serve(t, [well, () => ' '.repeat(ANSWERS.findings.maxBytes + 1)])
  assert.equal((await askForGroupAnswer('findings', { name: 'shop', members: long })).processes[1].problem, 'its answer is too large')
})
