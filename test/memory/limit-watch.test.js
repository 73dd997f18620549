'use strict'

// When a report of memory that is nearly full is due, what is in it, and how the next process finds it.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { Gauge, MemoryLimitWatch } = require('../../lib/observer/memory/limit-watch')
const { MAX_BYTES, MemoryReporter, encode, readPreviousReport } = require('../../lib/observer/memory/memory-report')
const { processStart } = require('../../lib/base/system/process-ids')
const { createStore } = require('../../lib/observer/store/store')
const { makeScratch } = require('../store/scratch')

const MB = 1e6

/** @param {number[]} levels  megabytes, of 1000, one a minute */
const dueAt = (levels, share = 0.9) => {
  const gauge = new Gauge(share)
  return levels.filter((megabytes, at) => gauge.read(at * 60_000, { usedBytes: megabytes * MB, limitBytes: 1000 * MB }).isDue)
}

test('a report is due once per episode: again only after the use has fallen clearly', () => {
  assert.deepEqual(dueAt([500, 850, 905, 950, 890, 920, 800, 910, 700, 901, 902]), [905, 901])
  assert.deepEqual(dueAt([500, 700, 890]), [])
  assert.deepEqual(dueAt([500, 700, 890], 0.6), [700])
})

test('where the limit would be reached at once, it is due earlier', () => {
  const gauge = new Gauge(0.9)
  const read = (atMs, megabytes) => gauge.read(atMs, { usedBytes: megabytes * MB, limitBytes: 1000 * MB })
  assert.equal(read(0, 700).isDue, false)
  assert.equal(read(100, 720).isDue, false, '1.4 s are left')
  assert.equal(read(200, 780).isDue, true, '370 ms are left')
})

test('the sooner the limit can be reached, the sooner the next reading; far away, once a second', () => {
  const read = (...levels) => {
    const gauge = new Gauge(0.9)
    return levels.map((megabytes, at) => gauge.read(at * 100, { usedBytes: megabytes * MB, limitBytes: 4000 * MB })).at(-1).nextMs
  }
  assert.equal(read(100, 100), 1000)
  assert.equal(read(3300, 3300), 200, 'it does not grow')
  assert.ok(read(3440, 3470) < 200)
  assert.ok(read(3500, 3590) >= 10)
})

test('what rises for some seconds and fills within minutes is noticed long before, garbage that comes and goes is not', () => {
  const fullIn = levels => {
    const gauge = new Gauge(0.9)
    return levels.map((megabytes, at) => gauge.read(at * 1000, { usedBytes: megabytes * MB, limitBytes: 1000 * MB }).fullInMs).at(-1)
  }
  assert.equal(fullIn([450, 460, 470, 480, 490, 500, 510]), 39_000)
  assert.equal(fullIn([450, 451, 452, 453, 454, 455, 456]), null, 'it takes longer')
  assert.equal(fullIn([250, 260, 270, 280, 290, 300, 310]), null, 'a process that starts')
  assert.equal(fullIn([450, 500, 550, 450, 500, 550, 450, 500]), null)
  assert.equal(fullIn([840, 860, 880, 900, 920, 940, 960]), null, 'the report is written')
})

test('a heap near its limit is read by the inspector, and reported once', async () => {
  const reports = []
  let used = 500 * MB
  const watch = new MemoryLimitWatch({ share: 0.9, heapLimitBytes: 1000 * MB, location: {} }, {
    state: { notedMemory: { atMicros: 1, heapUsedBytes: 650 * MB } },
    recorder: { hasSession: true, post: async () => ({ usedSize: used }) },
    interval: () => () => {},
    prepare () {},
    report: async limit => { reports.push(limit) }
  })
  for (used of [700 * MB, 950 * MB, 960 * MB]) await watch.check()
  watch.stop()
  assert.deepEqual(reports.map(({ of, usedBytes, limitBytes }) => ({ of, usedBytes, limitBytes })), [{ of: 'heap', usedBytes: 950 * MB, limitBytes: 1000 * MB }])
})

const MEMORY = { measuredAt: 1, rssBytes: 9e8, owners: [{ owner: 'buffers', name: null, bytes: 7e8, allocatedBytes: 7e8 }], growing: [], container: null, recent: [] }
const ENTRY = '/srv/shop/server.js'
const LIMIT = { of: 'container', usedBytes: 9e8, limitBytes: 1e9, bytesPerSecond: 1e8, basis: 'memory.max of /sys/fs/cgroup' }

function makeReporter (t, parts = {}) {
  const store = createStore({ dir: makeScratch(t), retention: { minFreeBytes: 0 } })
  const sent = []
  const logged = []
  const reporter = new MemoryReporter({ share: 0.9, heapLimitBytes: 1e9, entry: ENTRY, location: { appName: 'shop', appRoot: __dirname, dir: store.dir, retention: {} } }, {
    memory: { snapshot: () => MEMORY, readQuickly: async () => MEMORY, refresh: async () => {} },
    store,
    blockedMs: () => 0,
    findings: () => undefined,
    heapUsage: async () => null,
    requests: async () => ({ total: 1, at: 1, requests: [{ route: 'GET /upload', ageMs: 10 }] }),
    heapProfile: async () => null,
    send: artifact => { sent.push(artifact) },
    logNow: (fields, message) => { logged.push(message) },
    ...parts
  })
  return { reporter, store, sent, logged }
}

test('a report is an artifact like others, has what was asked ahead, and is sent', async t => {
  const { reporter, store, sent, logged } = makeReporter(t, { sites: async () => [{ line: 'app.js:3' }] })
  reporter.prepare({ isFast: true })
  await new Promise(resolve => setImmediate(resolve))
  await reporter.report(LIMIT)
  const [{ kind, path: file, name }] = store.list()
  assert.equal(kind, 'memory-report')
  const report = JSON.parse(fs.readFileSync(file, 'utf8'))
  assert.deepEqual([report.pid, report.limit, report.requests.list[0].route, report.sites], [process.pid, LIMIT, 'GET /upload', [{ line: 'app.js:3' }]])
  assert.equal(report.earlier.bytes.buffers, 7e8)
  assert.deepEqual(sent.map(one => [one.kind, one.name, one.body.equals(fs.readFileSync(file))]), [['memory-report', name, true]])
  assert.match(logged[0], /^the container's memory is 90 % full: .+ says what fills it$/)
})

test('what fails or does not answer is left out; a store that is full is reported', async t => {
  const { reporter, store } = makeReporter(t, { requests: async () => { throw new Error('no') }, heapProfile: () => new Promise(() => {}) })
  reporter.prepare({ isFast: true })
  await reporter.report(LIMIT)
  const { requests, heapProfile } = JSON.parse(fs.readFileSync(store.list()[0].path, 'utf8'))
  assert.deepEqual([requests, heapProfile], [null, null])
  const full = makeReporter(t, { store: { write () { throw Object.assign(new Error('no space'), { code: 'ERR_LOOPSCOPE_STORE_FULL' }) } } })
  await full.reporter.report(LIMIT)
  assert.deepEqual(full.logged, ['memory is nearly full, and no report can be written: no space'])
})

test('a report has a limited size, whatever the application names', () => {
  const list = Array.from({ length: 20 }, () => ({ route: 'x'.repeat(1e5), waits: Array.from({ length: 1000 }, () => ({ target: 'y'.repeat(1000) })) }))
  const bytes = encode({ ...MEMORY, limit: LIMIT, requests: { total: 20, at: 1, list }, sites: 'z'.repeat(1e7) })
  assert.ok(bytes.length <= MAX_BYTES)
  assert.deepEqual(JSON.parse(bytes.toString()).limit, LIMIT)
})

test('the next process finds the report of the one before it, not its own, not an old one, and nothing else', async t => {
  const { reporter, store } = makeReporter(t)
  await reporter.report(LIMIT)
  const now = Date.now()
  assert.equal(readPreviousReport(store, now + 5000, ENTRY)?.report.limit.usedBytes, LIMIT.usedBytes)
  assert.equal(readPreviousReport(store, now - 60_000, ENTRY), null)
  assert.equal(readPreviousReport(store, now + 8 * 3600_000, ENTRY)?.report.pid, process.pid)
  assert.equal(readPreviousReport(store, now + 24 * 3600_000, ENTRY), null)
  assert.equal(readPreviousReport(store, now + 5000, '/srv/shop/worker.js'), null, 'another program of the same application')
  fs.writeFileSync(path.join(store.list()[0].path), '{"version":1}')
  assert.equal(readPreviousReport(store, now + 5000, ENTRY), null)
})

test('the report of a process that still runs is not of one before this one; that of an earlier one with its id is', async t => {
  const { reporter, store } = makeReporter(t)
  await reporter.report(LIMIT)
  const [{ path: file }] = store.list()
  const report = JSON.parse(fs.readFileSync(file, 'utf8'))
  const later = Date.now() + 5000
  const writtenBy = (pid, start) => {
    fs.writeFileSync(file, JSON.stringify({ ...report, pid, start }))
    return readPreviousReport(store, later, ENTRY)?.report.pid
  }
  assert.equal(writtenBy(process.ppid, processStart(process.ppid)), undefined)
  if (processStart(process.ppid) !== '0') assert.equal(writtenBy(process.ppid, '1'), process.ppid)
  assert.equal(writtenBy(process.pid, processStart(process.pid)), process.pid)
})
