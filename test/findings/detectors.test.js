'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { findFindings } = require('../../lib/observer/findings/find-findings')
const { DETECTORS } = require('../../lib/observer/findings/detectors')
const { PLACE, readings, spot, stall } = require('./readings')
const { WAITING } = require('./waiting')
const { readTable } = require('../internal/project')

const ask = changes => findFindings(readings(changes), { appName: 'shop' })
const idsOf = ({ findings }) => findings.map(({ id }) => id)
const hotSpots = (...some) => ({ activity: { busyMs: 33_000, hotSpots: some } })

const OUTSIDE = { rssBytes: 1.1e9, externalBytes: 1e9, buffersBytes: 9.9e8, grownBytes: 9.5e8, grownForMs: 20_000 }
const THREADS = { ms: 60_000, workerMs: 112_000, poolMs: 200, peak: 2, isPoolApart: true, areShortLived: false, busiest: [{ name: 'WorkerThread', ms: 112_000 }], watched: [] }

const io = (reads, readBytes, writes, writtenBytes) => ({ system: { ms: 1000, cpuMs: 500, runQueueMs: 5, throttledMs: null, io: { reads, readBytes, writes, writtenBytes } } })
const sockets = (kind, ms) => ({ busyMs: 30_000, sockets: { writes: { ms: 0, samples: 0, where: null }, sends: { ms: 0, samples: 0, where: null }, connects: { ms: 0, samples: 0, where: null }, accepts: { ms: 0, samples: 0, closingMs: 0 }, otherWritesMs: 0, loopMs: 5000, [kind]: typeof ms === 'object' || kind === 'loopMs' ? ms : { ms, samples: ms / 10, where: { ...PLACE, via: null, route: null, share: 0.99 } } } })
// The system counts writes to files as well.
const withFiles = otherWritesMs => { const { busyMs, sockets: all } = sockets('writes', 20_400); return { busyMs, sockets: { ...all, otherWritesMs } } }

const ROOM = { limitBytes: 1e9, freeBytes: 8e8, isContainer: true, basis: 'memory.max of /sys/fs/cgroup' }
const growing = (owner, name = null) => ({ growing: [{ owner, name, bytes: 5e8, bytesPerMinute: 2e7, grownBytes: 4e8, minutes: 20 }], unknownWorkers: 0, container: null, room: ROOM })
const full = share => ({
  growing: [],
  unknownWorkers: 0,
  container: { usedBytes: share * 1e9, limitBytes: 1e9, highBytes: null, processBytes: share * 9e8, reclaimed: 3, killed: 0, basis: ROOM.basis },
  room: ROOM
})

const hanging = ageMs => ({ underWay: [1, 2, 3].map(() => ({ route: 'GET /', method: 'GET', at: 0, ageMs, state: 'waiting', waits: [], clientGone: false, traceId: null })) })

const PREVIOUS = {
  name: 'memory-report-x.json',
  path: '/x/memory-report-x.json',
  report: {
    pid: 41,
    at: 980_000,
    limit: { of: 'container', usedBytes: 910e6, limitBytes: 1e9, bytesPerSecond: 1e7, basis: 'memory.max of /sys/fs/cgroup' },
    owners: [{ owner: 'heap', name: null, bytes: 1e8 }, { owner: 'buffers', name: null, bytes: 7e8 }],
    earlier: { at: 970_000, bytes: { heap: 1e8, buffers: 6e8 } },
    growing: [],
    heapProfile: null
  }
}

/** What each rule is to say, and what it is to keep silent on though it is near. */
const CASES = [
  {
    id: 'hot-sync-call',
    sick: hotSpots(spot({ culprit: { call: 'pbkdf2Sync' }, stalls: { count: 41, ms: 31_000, longestMs: 900 } })),
    healthy: hotSpots(spot({ culprit: { call: 'readFileSync' }, ms: 900, share: 0.03, samples: 90 })),
    says: /^POST \/login spends 90 % of the loop's busy time in crypto\.pbkdf2Sync, called in login \(auth\.js:23\)\.$/
  },
  { id: 'hot-json', sick: hotSpots(spot({ culprit: { call: 'JSON.stringify' } })), healthy: hotSpots(spot({ culprit: { call: 'JSON.stringify' }, ms: 9000, share: 0.25 })), says: /JSON\.stringify/ },
  { id: 'hot-clock', sick: hotSpots(spot({ text: 'const at = Date.now()' })), healthy: hotSpots(spot({ text: 'const at = Date.now()', ms: 5000, share: 0.15 })), says: /reads the clock: login/ },
  { id: 'hot-dependency', sick: hotSpots(spot({ culprit: { via: { package: 'marked', function: 'parse' } } })), healthy: hotSpots(spot({ culprit: { via: { package: 'marked', function: 'parse' } }, ms: 9000, share: 0.2 })), says: /the package marked's parse, called in login/ },
  { id: 'hot-function', sick: hotSpots(spot()), healthy: hotSpots(spot({ ms: 9000, share: 0.3 })), says: /POST \/login spends 90 %/ },
  { id: 'hot-function', sick: hotSpots(spot({ ms: 900, share: 0.5, samples: 90, stalls: { count: 3, ms: 900, longestMs: 400 } })), healthy: hotSpots(spot({ ms: 250, share: 0.5, samples: 25, stalls: { count: 1, ms: 250, longestMs: 250 } })), says: /login/ },
  { id: 'hot-logging', sick: { activity: { categories: { logging: { ms: 12_000, where: PLACE } } } }, healthy: { activity: { categories: { logging: { ms: 2000, where: PLACE } } } }, says: /60 % .* in logging, most of it for login/ },
  { id: 'socket-writes', sick: { ...io(16_000, 4e5, 64_000, 8e5), activity: sockets('writes', 20_400) }, healthy: { ...io(16_000, 4e5, 16_200, 8e5), activity: sockets('writes', 20_400) }, says: /^The process spends 68 % of the loop's busy time in socket writes of login \(auth\.js:23\), about 4 for each message read\.$/ },
  { id: 'socket-writes', sick: { ...io(900, 4e5, 4800, 8e5), pace: { ms: 1000, routes: [{ route: 'GET /', count: 800, seconds: 1 }] }, activity: sockets('writes', 20_400) }, healthy: { ...io(900, 4e5, 4800, 1e8), activity: sockets('writes', 20_400) }, says: /about 5\.3 for each request/ },
  { id: 'socket-writes', sick: { ...io(16_000, 4e5, 64_000, 8e5), activity: withFiles(2000) }, healthy: { ...io(16_000, 4e5, 64_000, 8e5), activity: withFiles(3000) }, says: /in socket writes/ },
  { id: 'socket-reads', sick: { ...io(16_500, 33_000, 100, 800), activity: sockets('loopMs', 25_000) }, healthy: { ...io(16_500, 33_000, 100, 800), pace: { ms: 1000, routes: [{ route: 'GET /', count: 16_000, seconds: 1 }] }, activity: sockets('loopMs', 25_000) }, says: /83 % .* 16500 reads per second of 2 bytes/ },
  { id: 'socket-connects', sick: { activity: sockets('connects', 9000) }, healthy: { activity: sockets('connects', 2900) }, says: /30 % .* in opening connections, called in login/ },
  { id: 'socket-connects', sick: { activity: sockets('accepts', { ms: 1000, samples: 100, closingMs: 2400 }) }, healthy: { activity: sockets('accepts', { ms: 200, samples: 20, closingMs: 2400 }) }, says: /^Clients open new connections all the time: .* 11 % .* 17 % in event loop I\/O/ },
  { id: 'many-short-turns', sick: { activity: { busyMs: 57_000, samples: 5700 } }, healthy: { activity: { busyMs: 50_000, samples: 5000 } }, says: /busy 95 %/ },
  { id: 'many-short-turns', sick: { activity: { busyMs: 57_000, samples: 5700, categories: { immediates: { ms: 20_000, where: PLACE } } } }, healthy: { activity: { busyMs: 50_000, samples: 5000, categories: { immediates: { ms: 20_000, where: PLACE } } } }, says: /^The event loop is full: busy 95 % of the time with setImmediate\(\) again and again, most of them from login \(auth\.js:23\)\.$/ },
  { id: 'task-flood', sick: { activity: { busyMs: 50_000, categories: { tasks: { ms: 20_000, where: PLACE } } } }, healthy: { activity: { busyMs: 50_000, categories: { tasks: { ms: 5000, where: PLACE } } } }, says: /most of them from login/ },
  { id: 'task-flood', sick: { activity: { busyMs: 50_000, categories: { tasks: { ms: 20_000, where: PLACE } } } }, healthy: { activity: { busyMs: 50_000, categories: { tasks: { ms: 20_000, where: PLACE } } }, system: { cpuMs: 20, runQueueMs: 900 } }, says: /most of them from login/ },
  { id: 'task-flood', sick: hotSpots(spot({ queueMs: 9000, text: 'for (;;) await null' })), healthy: hotSpots(spot({ queueMs: 600, text: 'for (;;) await null' })), says: /most of them from login/ },
  { id: 'gc-pressure', sick: { activity: { gcMs: 9000, categories: { collected: { ms: 9000, where: PLACE } } } }, healthy: { activity: { gcMs: 3000 } }, says: /45 % .* while login \(auth\.js:23\) runs/ },
  { id: 'heap-grows', sick: { process: { memory: { trend: { verdict: 'growing', bytesPerMinute: 2e7, minutesToLimit: 40 } } } }, healthy: { process: { memory: { trend: { verdict: 'flat', bytesPerMinute: 2e7, minutesToLimit: null } } } }, says: /20 MB per minute .* in about 40 min/ },
  { id: 'heap-grows', sick: { process: { memory: { oldBytes: 9.2e8, limitBytes: 1e9 } } }, healthy: { process: { memory: { oldBytes: 6e8, limitBytes: 1e9 } } }, says: /nearly full/ },
  { id: 'buffers-grow', sick: { process: { memory: { outside: OUTSIDE } }, activity: { gcMs: 9000, categories: { buffers: { ms: 900, where: PLACE } } } }, healthy: { process: { memory: { outside: { ...OUTSIDE, grownBytes: 4e8 } } } }, says: /outside the heap grows: Buffers, by 950 MB in 20\.0 s, most of them used in login \(auth\.js:23\)/ },
  { id: 'buffers-grow', sick: { process: { memory: { outside: { ...OUTSIDE, buffersBytes: 1e7 } } } }, healthy: { process: { memory: { outside: { ...OUTSIDE, rssBytes: 8e9 } } } }, says: /grows: memory of native code/ },
  { id: 'heap-grows', sick: { memory: growing('heap') }, healthy: { memory: growing('native') }, says: /^The heap grows by 20 MB per minute and reaches the container's limit in about 40 min\.$/ },
  { id: 'buffers-grow', sick: { memory: growing('buffers'), process: { memory: { outside: { ...OUTSIDE, grownBytes: 0 } } } }, healthy: { memory: growing('heap'), process: { memory: { outside: { ...OUTSIDE, grownBytes: 0 } } } }, says: /^Memory outside the heap grows: Buffers, by 400 MB in 20 min, and reaches the container's limit in about 40 min\.$/ },
  { id: 'buffers-grow', sick: { memory: growing('external'), process: { memory: { outside: { ...OUTSIDE, grownBytes: 0 } } } }, healthy: { memory: growing('worker', 'resize') }, says: /grows: memory of native code, by 400 MB/ },
  { id: 'memory-grows', sick: { memory: growing('worker', 'resize') }, healthy: { memory: growing('heap') }, says: /^The worker thread resize grows by 20 MB per minute and reaches the container's limit in about 40 min\.$/ },
  { id: 'memory-grows', sick: { memory: { ...growing('native'), growing: [...growing('native').growing, ...growing('buffers').growing.map(one => ({ ...one, bytesPerMinute: 1e6 }))] } }, healthy: { memory: growing('buffers') }, says: /^Native memory grows by 20 MB per minute/ },
  { id: 'memory-grows', sick: { memory: growing('native') }, healthy: { memory: { ...growing('native'), growing: [...growing('heap').growing, ...growing('native').growing] } }, says: /^Native memory grows by 20 MB per minute/ },
  { id: 'memory-grows', sick: { memory: { ...full(0.5), workers: 40, growing: [{ owner: 'worker', name: null, bytes: 2e8, bytesPerMinute: 1e7, grownBytes: 1.5e8, minutes: 15 }] } }, healthy: { memory: full(0.5) }, says: /^The memory of worker threads, of which 40 run, grows by 10 MB per minute/ },
  { id: 'memory-full', sick: { memory: { ...full(0.8), container: { ...full(0.8).container, highBytes: 810e6 } } }, healthy: { memory: { ...full(0.7), container: { ...full(0.7).container, highBytes: 810e6 } } }, says: /^The container's memory is at memory\.high: 800 MB of 810 MB\.$/ },
  { id: 'memory-full', sick: { memory: full(0.95) }, healthy: { memory: full(0.8) }, says: /^The container's memory is 95 % full: 950 MB of 1000 MB\.$/ },
  { id: 'memory-full', sick: { memory: { ...full(0.5), killed: 2 } }, healthy: { memory: full(0.5) }, says: /^The kernel killed 2 processes of this container because its memory was full\.$/ },
  { id: 'open-files', sick: { memory: { ...full(0.5), files: { open: 1200, limit: 10_000, growing: { perMinute: 220, grown: 1100, minutes: 5 }, kinds: { sockets: 1150, files: 20 } } } }, healthy: { memory: { ...full(0.5), files: { open: 1200, limit: 1_000_000, growing: { perMinute: 220, grown: 1100, minutes: 5 }, kinds: { sockets: 1150 } } } }, says: /^1200 files and sockets are open, of 10000 that may be, and 220 more each minute: the limit is reached in about 40 min\.$/ },
  { id: 'open-files', sick: { memory: { ...full(0.5), files: { open: 850, limit: 1000, growing: null, kinds: { files: 840 } } } }, healthy: { memory: { ...full(0.5), files: { open: 700, limit: 1000, growing: null, kinds: {} } } }, says: /^850 files and sockets are open, of 1000 that may be\.$/ },
  { id: 'fragmentation', sick: { memory: { ...full(0.5), allocator: { name: 'glibc', arenaMax: null }, fragmentation: { freedBytes: 3e8, keptBytes: 2.5e8, ofHeapBytes: 0, sinceMs: 3e5 } } }, healthy: { memory: { ...full(0.5), fragmentation: null } }, says: /^The process keeps 250 MB that were freed: what V8 counts fell by 300 MB, its memory did not\.$/ },
  { id: 'memory-report', sick: { memory: { ...full(0.5), previous: PREVIOUS }, at: 2e6, startedAt: 1e6 }, healthy: { memory: { ...full(0.5), previous: PREVIOUS }, at: 1e9, startedAt: 1e6 }, says: /^The process before this one \(pid 41\) had its container's memory 91 % full 20\.0 s before this one started: 700 MB of it Buffers\.$/ },
  { id: 'pool-full', sick: { pool: { queued: 30, maxWaitMs: 700 }, process: { waitsFor: { PBKDF2Job: 12 } } }, healthy: { pool: { queued: 1, maxWaitMs: 90 } }, says: /waits up to 700 ms for one of its 4 threads/ },
  { id: 'starved', sick: { stalls: Array.from({ length: 5 }, () => stall({ cause: 'starved', evidence: { cpuMs: 20, runQueueMs: 270 } })) }, healthy: { stalls: [stall({ cause: 'starved', evidence: { cpuMs: 20, runQueueMs: 100 } })] }, says: /CPU contention: the process waited 54 % of the time for a CPU/ },
  { id: 'starved', sick: { system: { ms: 1000, cpuMs: 200, runQueueMs: 0, throttledMs: 700 }, stalls: [stall({ cause: 'starved', evidence: { cpuMs: 20, runQueueMs: 0, throttledMs: 250 } })], activity: { busyMs: 40_000 } }, healthy: { system: { ms: 1000, cpuMs: 900, runQueueMs: 0, throttledMs: 20 } }, says: /CPU quota/ },
  { id: 'suspended', sick: { stalls: [stall({ cause: 'suspended', durationMs: 2000 })] }, healthy: { stalls: [stall()] }, says: /suspended 1 time, for 2\.0 s/ },
  { id: 'start-up', sick: { startedAt: 999_000, process: { startUpMs: 6000 } }, healthy: { process: { startUpMs: 6000 } }, says: /Startup blocked the loop for 6\.0 s/ },
  { id: 'slow-elsewhere', sick: { pace: { ms: 1000, routes: [{ route: 'GET /orders', count: 10, seconds: 9 }] } }, healthy: { pace: { ms: 1000, routes: [{ route: 'GET /orders', count: 10, seconds: 1.9 }] } }, says: /GET \/orders takes 900 ms on average, but the event loop is not the cause/ },
  { id: 'busy-threads', sick: { threads: THREADS, pace: { ms: 1000, routes: [{ route: 'GET /orders', count: 10, seconds: 9 }] } }, healthy: { threads: { ...THREADS, workerMs: 900 } }, says: /Worker threads used 187 % of a CPU, while the main loop was busy 33 % of the time/ },
  {
    id: 'unexplained-stalls',
    sick: { stalls: Array.from({ length: 11 }, (_, index) => stall({ durationMs: 500, route: index < 8 ? 'POST /users' : null, culprit: spot({ culprit: { function: `step${index}` } }).culprit })) },
    healthy: { stalls: [stall({ durationMs: 400 })], process: { delay: { p50Ms: 1, p99Ms: 150 } } },
    says: /^Stalls take 9 % of the time: 11 stalls of up to 500 ms, most of it in POST \/users\.$/
  },
  { id: 'own-cost', sick: { process: { ownSeconds: { heartbeat: 20, recorder: 60, observer: 900, 'source-maps': 90 } } }, healthy: { process: { ownSeconds: { heartbeat: 1, recorder: 2, observer: 900, 'source-maps': 900 } } }, says: /7 % of the main thread/ },
  { id: 'hanging-requests', sick: hanging(16_000), healthy: hanging(14_000), says: /^3 requests of GET \/ hang: the oldest has been under way for 16\.0 s, others take 10 ms\.$/ }
]

for (const { id, sick, healthy, says } of CASES) {
  test(`${id} is said where it is, with its figures: ${says.source}`, () => {
    const [first] = ask(sick).findings
    assert.equal(first.id, id)
    assert.match(first.title, says)
    assert.ok(first.lostMs >= 0 && first.share > 0 && first.share <= 1 && Object.keys(first.evidence).length > 0)
  })
  test(`${id} is not said where there is less of it: ${says.source}`, () => {
    assert.ok(!idsOf(ask(healthy)).includes(id))
  })
}

test('where requests wait is named where it was sampled', () => {
  const pace = { ms: 1000, routes: [{ route: 'GET /orders', count: 10, seconds: 9 }] }
  const line = { function: 'loadOrders', file: 'orders.js', line: 12, column: 3, awaited: 'pg-pool', via: null, resumedBy: null, longest: null, poolMs: 0, callers: [], requests: 9, waits: 9, ms: 7000, queuedMs: 0, share: 0.8, p50Ms: 700, p99Ms: 900, maxMs: 900 }
  const route = { route: 'GET /orders', requests: 9, open: 0, truncated: 0, totalMs: 8750, waitingMs: 8000, unseenMs: 0, clientMs: 0, uploadMs: 0, lines: [line], serial: [] }
  const [found] = ask({ pace, waits: [route] }).findings
  assert.match(found.what, /They wait 88 % of that time at loadOrders \(orders\.js:12\), for pg-pool\./)
  assert.deepEqual([found.where.function, found.where.line, found.where.route, found.evidence.awaited], ['loadOrders', 12, 'GET /orders', 'pg-pool'])
  const [unknown] = ask({ pace }).findings
  assert.match(unknown.what, /At which line was not sampled\./)
  assert.deepEqual([unknown.where, unknown.next[0]], [null, 'npx loopscope waits 77 --seconds 10'])
})

test('what the diagnostics cost is CPU time, and the advice is of what costs most', () => {
  const costs = (ownSeconds, ranShare = 1) => ask({ ownCpu: { ranShare, observerMs: null }, process: { ownSeconds: { heartbeat: 1, recorder: 1, observer: 5, 'own-work': 0, ...ownSeconds } } }).findings[0]
  assert.equal(costs({ heartbeat: 80 }, 0.3).id, 'nothing-wrong', 'the clock went on while others had the processor')
  assert.match(costs({ heartbeat: 80 }).instead, /^raise heartbeatMs$/)
  assert.match(costs({ recorder: 80 }).instead, /recorder\.hz/)
  assert.match(costs({ 'own-work': 80 }).instead, /prefer heap histograms to snapshots/)
})

test('datagrams are told with the function that sends most of them, unless a loop with room sends some', () => {
  const asked = ms => ask({ activity: sockets('sends', ms) }).findings[0]
  const { id, title, instead, where } = asked(24_000)
  assert.deepEqual([id, where.function], ['socket-writes', 'login'])
  assert.match(`${title} ${instead}`, /80 % of the loop's busy time in sending datagrams \(UDP\), most of them from login \(auth\.js:23\)\. put several messages into one datagram/)
  assert.equal(asked(9000).id, 'nothing-wrong')
  const [at, ...others] = ask({ activity: { ...sockets('sends', 24_000), hotSpots: [spot({ culprit: { call: 'Socket.send' } })] } }).findings
  assert.deepEqual([at.id, others], ['hot-function', []], 'where it sends at once')
  assert.match(`${at.title} ${at.instead}`, /in send\(\) of a datagram, called in login .* put several messages into one datagram/)
})

test('a function that makes many small writes is said with the writes, and not once more', () => {
  const writing = spot({ isWriting: true, culprit: { call: 'Writable.write' } })
  const activity = { ...sockets('writes', 27_000), hotSpots: [writing] }
  assert.deepEqual(idsOf(ask({ ...io(16_000, 4e5, 64_000, 8e5), activity })), ['socket-writes'])
  assert.deepEqual(idsOf(ask({ ...io(16_000, 4e5, 16_000, 8e8), activity })), ['hot-function'], 'one large write')
  const once = { ...io(16_000, 4e5, 16_000, 3e6), activity }
  assert.deepEqual(idsOf(ask(once)), ['nothing-wrong'], 'one small write for each answer')
  assert.deepEqual(idsOf(ask({ ...io(3, 40, 20, 160), activity })), ['hot-function'], 'the few small ones of the last second are not those that took the time')
  assert.deepEqual(idsOf(ask({ ...once, activity: { ...activity, hotSpots: [{ ...writing, stalls: { count: 3, ms: 900, longestMs: 400, lines: [] } }] } })), ['hot-function'])
})

test('who waited longest behind the code of a route is said with it; others of that route are not', () => {
  const slow = (route, ms, at = 1_010_000) => ({ at, route, status: 200, durationMs: ms, unreadMs: 0, ownMs: 0, behindMs: ms, behind: [{ route: 'POST /login', ms }], gcMs: 0, waitingMs: 0, waits: [], traceId: null })
  const busy = hotSpots(spot({ route: 'POST /login' }))
  const said = (...requests) => ask({ ...busy, slow: requests }).findings[0].what
  assert.match(said(slow('GET /a', 900), slow('GET /fast', 3100), slow('POST /login', 5000)), / GET \/fast waited up to 3\.1 s behind it\./)
  assert.doesNotMatch(said(slow('POST /login', 5000), slow('GET /old', 5000, 0)), /behind it/)
})

test('how many requests waited behind a hot function is an average, in words', () => {
  const { findings: [{ what }] } = ask(hotSpots(spot({ ms: 20_000, stalls: { count: 41, ms: 20_000, longestMs: 900 } })))
  assert.match(what, / Meanwhile 2 requests were under way on average; together they waited 40\.0 s\./)
})

test('a route that is slow elsewhere is said with what its slow requests waited for, where that is most of it, and with what to do about it', () => {
  const pace = { ms: 1000, routes: [{ route: 'GET /orders', count: 10, seconds: 9 }] }
  const select = { kind: 'mysql', operation: 'SELECT', target: 'db:3306', calls: 40, errors: 0, ms: 700 }
  const request = (...waits) => ({ at: 1_010_000, route: 'GET /orders', status: 200, durationMs: 900, unreadMs: 0, ownMs: 10, behindMs: 0, behind: [], gcMs: 0, waitingMs: 890, waits, traceId: null })
  const findingOf = (...slow) => ask({ pace, slow }).findings[0]
  const many = findingOf(request(select), request({ ...select, calls: 44, errors: 2 }), { ...request(), route: 'GET /other' })
  assert.match(many.what, / Slow requests of GET \/orders waited 79 % of that time for mysql SELECT db:3306, 42 calls per request \(2 failed calls\)\./)
  assert.match(many.instead, /^fetch with one call what a request now fetches with 42 calls/)
  assert.deepEqual([many.evidence.call, many.evidence.callsPerRequest, many.evidence.failedCalls], ['mysql SELECT db:3306', 42, 2])
  assert.match(findingOf(request({ ...select, calls: 1 })).instead, /^look at mysql SELECT db:3306 itself/)
  assert.match(findingOf(request({ ...select, operation: 'acquire' })).instead, /^requests wait until a connection is free/)
  for (const unknown of [findingOf(), findingOf(request()), findingOf(request({ ...select, ms: 400 })), findingOf({ ...request(select), at: 0 })]) {
    assert.doesNotMatch(unknown.what, /Slow requests/)
    assert.match(unknown.instead, /^measure what GET \/orders awaits/)
    assert.ok(!('call' in unknown.evidence))
  }
})

test('a share that is said of a route is its own, and several are said with theirs', () => {
  const titleOf = (...shares) => ask(hotSpots(spot({ route: null, routes: shares.map(([route, share]) => ({ route, share })) }))).findings[0].title
  assert.match(titleOf(['GET /light', 0.85], ['GET /heavy', 0.05]), /^GET \/light spends 85 % of the loop's busy time in /)
  assert.match(titleOf(['GET /light', 0.7], [null, 0.12], ['GET /heavy', 0.08], ['GET /rare', 0.004]),
    /^The process spends 90 % of the loop's busy time in .*: GET \/light 70 %, no request or unknown 12 %, GET \/heavy 8 %\.$/)
  assert.match(titleOf(...[1, 2, 3, 4, 5, 6].map(number => [`GET /${number}`, 0.15])), /: GET \/1 15 %, GET \/2 15 %, GET \/3 15 %, GET \/4 15 %, 2 others 30 %\.$/)
  for (const rest of [[], [['GET /rare', 0.004]]]) assert.match(titleOf([null, 0.9], ...rest), /^The process spends 90 % of the loop's busy time in [^:]*:\d+\)\.$/)
})

test('the collector is not to be helped with Buffers where Buffers are what it collects for', () => {
  const collected = { activity: { gcMs: 9000, categories: { collected: { ms: 9000, where: PLACE } } } }
  const advice = memory => ask({ ...collected, process: { memory } }).findings.find(({ id }) => id === 'gc-pressure').instead
  assert.match(advice({}), /keep large data outside the heap \(Buffer\)/)
  assert.match(advice({ outside: { ...OUTSIDE, grownBytes: 0 } }), /^keep fewer Buffers at a time: they hold 990 MB outside the heap/)
  assert.match(advice({ outside: { ...OUTSIDE, grownBytes: 0, externalBytes: 2e7, buffersBytes: 1e7 } }), /keep large data outside the heap/)
  assert.deepEqual(idsOf(ask({ ...collected, process: { memory: { outside: OUTSIDE } } })), ['buffers-grow'])
  const making = ms => ask({ activity: { gcMs: 9000, categories: { collected: { ms: 9000, where: PLACE }, buffers: { ms, where: PLACE } } } }).findings.find(({ id }) => id === 'gc-pressure').instead
  assert.match(making(2000), /^make fewer and smaller Buffers there/)
  assert.match(making(200), /keep large data outside the heap/)
  const elsewhere = ask({ activity: { gcMs: 9000, categories: { collected: { ms: 9000, where: PLACE }, buffers: { ms: 2000, where: { ...PLACE, line: 90 } } } } }).findings.find(({ id }) => id === 'gc-pressure').instead
  assert.match(elsewhere, /keep large data outside the heap/, 'another function without a name, in the same file')
})

test('what turns objects into text is named with what to do instead, and so is a development build', () => {
  const converter = { function: 'toJSON', file: 'node_modules/mongoose/lib/document.js', line: 4, column: 1, package: 'mongoose' }
  const findingOf = changes => ask(hotSpots(spot({ culprit: { call: 'JSON.stringify' }, ...changes }))).findings[0]
  const documents = findingOf({ converter })
  assert.match(documents.title, /JSON\.stringify.*, most of it in toJSON of the package mongoose/)
  assert.match(documents.instead, /\.lean\(\)/)
  assert.match(findingOf({ converter: { ...converter, file: 'user.js', package: null } }).title, /most of it in toJSON \(user\.js:4\)/)
  const development = findingOf({ development: 'react-dom' })
  assert.match(development.instead, /^start the process with NODE_ENV=production, which selects the production build of react-dom/)
  assert.equal(development.evidence.development, 'react-dom')
})

test('every rule has a case, and every finding a row in docs/findings.md', () => {
  const ids = [...new Set(DETECTORS.flatMap(detector => detector.ids))]
  assert.deepEqual(ids.filter(id => ![...CASES, ...WAITING].some(row => row.id === id)), [])
  const told = readTable('docs/findings.md', 'List of findings').map(([cell]) => cell.replaceAll('`', ''))
  assert.deepEqual([...ids, 'nothing-wrong', 'too-little-seen'].sort(), told.sort())
})

test('workers that never end have the line that starts them, although few of their objects are sampled', () => {
  const site = { kind: 'heap', thread: null, through: null, route: null, holder: 'workers', function: 'resize', file: 'app.js', line: 8, column: 3, caller: null, keptAt: null, bytes: 40_000, samples: 18, byBirth: [0, 9000, 0], bytesPerMinute: 0, bytesPerRequest: null }
  const findIn = sites => ask({ memory: { ...growing('worker'), sites: { fromMs: 0, toMs: 60_000, sites } } }).findings.find(({ id }) => id === 'memory-grows')
  const { where, instead } = findIn([{ ...site, verdict: 'temporary' }, { ...site, holder: null, line: 9, bytes: 90_000, verdict: 'stays' }])
  assert.deepEqual([where.function, where.line], ['resize', 8])
  assert.match(instead, /worker threads are started and do not end/)
  assert.equal(findIn([{ ...site, holder: null, verdict: 'stays' }]).where, null)
})

test('threads that are at work are told beside a loop with which nothing is wrong', () => {
  const { findings: [first, second], figures } = ask({ threads: { ...THREADS, isPoolApart: false, busiest: [] } })
  assert.deepEqual([first.id, second.id, second.severity, figures.workers], ['nothing-wrong', 'busy-threads', 'info', 1.867])
  assert.match(first.title, /^No significant problem found in the event loop: utilization 33 %, worker threads 187 % of a CPU, no stall/)
  assert.match(`${second.title} ${second.what}`, /^Worker threads, or libuv's pool, used .* All of them have ended\.$/)
})

test('workers that requests wait for are named with the line, however little CPU time they get', () => {
  const { sick } = WAITING.find(({ id }) => id === 'timer-wait')
  const waitingFor = awaited => sick.waits.map(route => ({ ...route, lines: route.lines.map(line => ({ ...line, awaited })) }))
  const findIn = waits => ask({ ...sick, waits, threads: { ...THREADS, workerMs: 6000 } }).findings.find(({ id }) => id === 'busy-threads')
  const found = findIn(waitingFor('worker'))
  assert.deepEqual([found.severity, found.where.function, found.where.route], ['warning', 'loadOrders', 'GET /orders'])
  assert.match(found.what, /GET \/orders waits \d+ % of its time at loadOrders \(orders\.js:12\)\.$/)
  assert.equal(findIn(waitingFor('pg')).severity, 'info')
  const atOnce = ask({ ...sick, waits: waitingFor('worker'), threads: { ...THREADS, workerMs: 400_000 } }).findings.find(({ id }) => id === 'busy-threads')
  assert.equal(atOnce.severity, 'info', 'the work of each takes nearly as long as it waits')
})

test('hashing much at once is told as such', () => {
  const { findings: [first] } = ask(hotSpots(spot({ culprit: { call: 'update' } })))
  assert.match(first.title, /in hashing \(crypto\), called in login/)
  assert.match(first.instead, /createReadStream/)
})

test('work on the line of an await is no flood, whatever is written there', () => {
  const asked = (call, text) => ask(hotSpots(spot({ culprit: { call }, text, queueMs: 100, stalls: { count: 9, ms: 9000, longestMs: 900 } }))).findings[0]
  const trim = asked('String.replace', "const tidy = (await load()).replace(/\\s+$/, '')")
  assert.deepEqual([trim.id, trim.title], ['hot-function', "POST /login spends 90 % of the loop's busy time in String.replace (regular expression), called in login (auth.js:23)."])
  assert.match(trim.instead, /re2/)
  assert.match(asked('end', 'response.end(await exportCsv())').title, /in end\(\) of a response or stream, called in login/)
  assert.deepEqual(['String.replaceAll', 'String.split', null].map(call => asked(call, "for (const part of (await load()).replaceAll('a', b).split(',')) ;").id), Array(3).fill('hot-function'))
  assert.doesNotMatch(asked('String.replaceAll', "(await load()).replaceAll('a', 'b')").title, /regular/)
})

test('stalls that another finding names are not unexplained; the others are, with what is known of them', () => {
  const culprit = { ...spot().culprit, via: null }
  const own = Array.from({ length: 20 }, () => stall({ durationMs: 400, culprit }))
  const others = Array.from({ length: 20 }, (_, index) => stall({ durationMs: 200, route: `GET /${index % 5}`, culprit: { ...culprit, function: 'uniq', via: index % 2 ? { package: 'lodash', function: 'uniqWith', through: null } : null } }))
  const login = hotSpots(spot({ stalls: { count: 20, ms: 8000, longestMs: 400 } }))
  assert.deepEqual(idsOf(ask({ ...login, stalls: own })), ['hot-function'])
  const inlined = Array.from({ length: 20 }, () => stall({ durationMs: 400, culprit: { ...culprit, function: 'handle' } }))
  const ofCaller = callers => idsOf(ask({ ...hotSpots(spot({ callers })), stalls: inlined }))
  assert.deepEqual(ofCaller([{ function: 'handle', file: culprit.file }]), ['hot-function'], 'V8 may compile it into the function that calls it')
  assert.deepEqual(ofCaller([]), ['hot-function', 'unexplained-stalls'])
  const { findings: [, rest] } = ask({ ...login, stalls: [...own, ...others] })
  assert.deepEqual([rest.id, rest.lostMs, rest.where.function], ['unexplained-stalls', 4000, 'uniq'])
  assert.equal(rest.what, 'They held the loop for 4.0 s of the last 60.0 s. By route: GET /0 800 ms, GET /1 800 ms, GET /2 800 ms, others 1.6 s. ' +
    'By code: uniq (auth.js:23) 2.0 s, the package lodash 2.0 s. By cause: code 4.0 s.')
  const starting = startUpMs => idsOf(ask({ stalls: [stall({ durationMs: 4000, startingUp: true })], startedAt: 999_000, process: { startUpMs } }))
  assert.deepEqual([0, 1500].map(ms => starting(ms).includes('unexplained-stalls')), [true, false], 'the start-up explains its stalls, also as a note')
})

test('a few stalls are said as well where the delay is felt', () => {
  const stalls = [stall({ durationMs: 300 }), stall({ durationMs: 250 })]
  assert.equal(ask({ stalls, process: { delay: { p50Ms: 1, p99Ms: 260 } } }).findings[0].id, 'unexplained-stalls')
  assert.equal(ask({ stalls, process: { delay: { p50Ms: 1, p99Ms: 20 } } }).findings[0].id, 'nothing-wrong')
})

test('a package that several functions of the application call is one finding, with all of them', () => {
  const via = { package: 'express-validator', function: 'run', through: { package: 'lodash', function: 'uniqWith' } }
  const some = ['signUp', 'invite', 'rename'].map(name => spot({ culprit: { function: name, via }, ms: 900, share: 0.2, samples: 90, route: `POST /${name}`, stalls: { count: 1, ms: 300, longestMs: 300 } }))
  const { findings: [only, ...rest] } = ask(hotSpots(...some))
  assert.deepEqual([only.id, only.evidence.stalls, only.evidence.package, only.evidence.through, rest], ['hot-dependency', 3, 'express-validator', 'lodash', []])
  assert.match(only.title, /^The process spends 60 % .* in the package express-validator, through lodash uniqWith, called in signUp \(auth\.js:23\), invite \(auth\.js:23\), rename/)
})

test('a function that stalls on several lines is told with them', () => {
  const lines = [{ line: 23, ms: 800 }, { line: 25, ms: 700 }, { line: 31, ms: 500 }]
  const { findings: [first] } = ask(hotSpots(spot({ stalls: { count: 6, ms: 2000, longestMs: 400, lines } })))
  assert.match(first.what, /By line: 23 \(800 ms\), 25 \(700 ms\), 31 \(500 ms\)\./)
})

test('an expression of a package is told as one, with what can be done about it', () => {
  const { findings: [first] } = ask(hotSpots(spot({ culprit: { call: 'RegExp.exec', via: { package: 'moment', function: 'parse', through: null } } })))
  assert.match(first.title, /in RegExp\.exec \(regular expression\) in the package moment's parse, called in login/)
  assert.match(`${first.why} ${first.instead}`, /match in many ways .* limit the length of the input to moment/)
})

test('a loop that waits for the clock needs a timer, and no faster clock', () => {
  const asked = (changes, stalls = { count: 4, ms: 8000, longestMs: 2000 }) => ask(hotSpots(spot({ text: '  const left = end - Date.now()', stalls, ...changes }))).findings[0]
  const loop = { function: 'pause', file: 'app.js', line: 7, column: 0 }
  for (const changes of [{}, { text: '', culprit: { call: 'hrtimeBigInt' } }, { culprit: { via: { package: 'moment', function: 'hooks', through: null } } }]) {
    const { id, title, instead } = asked({ waitLoop: loop, ...changes })
    assert.equal(id, 'hot-clock')
    assert.match(`${title} ${instead}`, /a loop that waits for the clock: login \(auth\.js:23\), called in pause \(app\.js:7\)\..* with a timer: setTimeout/)
  }
  assert.match(asked({}).instead, /clock\.now\(\)/)
  assert.match(asked({ waitLoop: loop }, { count: 0, ms: 0, longestMs: 0 }).instead, /clock\.now\(\)/)
})

test('a pool that is full of lookups is told as waiting for DNS', () => {
  const { findings: [first] } = ask({ pool: { queued: 30, maxWaitMs: 700 }, process: { waitsFor: { GetAddrInfoReqWrap: 40, FSReqCallback: 3 } } })
  assert.match(first.what, /40 DNS \(GetAddrInfoReqWrap\), 3 FSReqCallback/)
  assert.match(`${first.why} ${first.instead}`, /at most half of the threads.*keepAlive/)
})

test('logging that has most of the work is named, although nothing is wrong', () => {
  const most = ms => ask({ activity: { busyMs: 12_000, categories: { logging: { ms, where: PLACE } } }, process: { utilization: 0.2 } }).findings[0]
  assert.deepEqual([most(8000).id, most(3000).id], ['nothing-wrong', 'nothing-wrong'])
  assert.match(most(8000).what, /spends 67 % of the loop's busy time in logging, most of it for login/)
  assert.match(most(8000).instead, /to use less CPU: log less/)
  assert.doesNotMatch(most(3000).what, /logging/)
})

test('logging has the line of its call and its logger, where they are known', () => {
  const most = spot({ isLogging: true, culprit: { functionLine: 20, line: 23, via: { package: 'pino', function: 'info', through: { package: 'pino-pretty', function: 'prettify' } } } })
  const { findings: [first] } = ask({ activity: { hotSpots: [most], categories: { logging: { ms: 12_000, where: PLACE } } } })
  assert.match(first.title, /in logging by pino, through pino-pretty prettify, most of it for login \(auth\.js:23\)/)
  assert.deepEqual([first.id, first.where.line, first.where.route], ['hot-logging', 23, 'POST /login'])
  assert.doesNotMatch(first.why + first.instead, /console|such as pino/)
  const talks = spot({ isLogging: true, culprit: { functionLine: 20, line: 23, via: { package: 'soap', function: 'send', through: null } } })
  const { findings: [other] } = ask({ activity: { hotSpots: [talks], categories: { logging: { ms: 12_000, where: PLACE } } } })
  assert.match(other.why, /the console writes/)
  assert.match(other.instead, /^turn down what soap writes/)
})

test('logging that several functions share has its logger, and their lines', () => {
  const logging = logger => ({ activity: { categories: { logging: { ms: 12_000, where: null, logger, places: [{ ...PLACE, ms: 4000 }, { ...PLACE, line: 31, ms: 3500 }] } } } })
  const { findings: [first] } = ask(logging('pino'))
  assert.match(first.title, /in logging by pino\.$/)
  assert.match(first.what, /By line: login \(auth\.js:23\) \(4\.0 s\), login \(auth\.js:31\) \(3\.5 s\)\./)
  assert.doesNotMatch(first.why + first.instead, /console|such as pino/)
  assert.match(ask(logging('console')).findings[0].why, /the console writes/)
})

test('a function that only hands work to many others does not fill the loop by itself', () => {
  const { findings: [first] } = ask({ activity: { busyMs: 58_000, samples: 5800, hotSpots: [spot({ ms: 55_000, ownMs: 3000, share: 0.95 })] } })
  assert.equal(first.id, 'many-short-turns')
})

test('a synchronous call is found by the sampled calls below a function that makes several', () => {
  const [first] = ask(hotSpots(spot({ sync: { api: 'fs.readFileSync', share: 0.8 } }))).findings
  assert.deepEqual([first.id, first.evidence.api], ['hot-sync-call', 'fs.readFileSync'])
})

test('what a package calls synchronously is changed by what the application calls', () => {
  const say = via => ask(hotSpots(spot({ culprit: { call: 'zlib.*Sync', via: { package: 'adm-zip', through: null, ...via } } }))).findings[0].instead
  assert.match(say({ function: 'toBuffer' }), /asynchronous function of adm-zip.*In adm-zip itself: the function of the same name without Sync/)
  assert.match(say({ function: 'packSync' }), /^await pack\(\), the asynchronous variant/)
})

test('a module that is loaded again and again while requests wait is no start-up', () => {
  const [first] = ask(hotSpots(spot({ sync: { api: 'require', share: 0.9 }, stalls: { count: 3, ms: 2000, longestMs: 900 } }))).findings
  assert.deepEqual([first.id, first.severity], ['start-up', 'critical'])
  const asked = changes => idsOf(ask(hotSpots(spot({ culprit: { call: 'require' }, ...changes }))))
  assert.deepEqual(asked({ ms: 9000, share: 0.3 }), ['start-up'], 'compiling is no synchronous call by its name, and many short ones are no stall')
  assert.deepEqual(asked({ ms: 900, share: 0.03, samples: 90 }), ['nothing-wrong'])
  const [imported] = ask(hotSpots(spot({ culprit: { call: 'import' } }))).findings
  assert.equal(imported.id, 'start-up')
  assert.match(imported.instead, /^import it once, before requests arrive/)
})

test('busy threads that are watched are told with their functions', () => {
  const top = { function: 'resize', file: 'image.js', line: 12, column: 0, share: 0.9 }
  const { findings } = ask({ threads: { ...THREADS, watched: [{ name: 'worker 3 (image.js)', busyMs: 50_000, top }, { name: 'worker 4 (image.js)', busyMs: 900, top: null }] } })
  assert.match(findings.find(({ id }) => id === 'busy-threads').what, /Busy time by samples: worker 3 \(image\.js\) 50\.0 s in resize \(image\.js:12\); worker 4 \(image\.js\) 900 ms\.$/)
})
