'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { monotonicMicros } = require('../../lib/base/monotonic')
const { StallReports } = require('../../lib/observer/stalls/stall-detection')
const { StallRecords } = require('../../lib/observer/stalls/stall-records')
const { History } = require('../../lib/observer/recorder/history')
const { profileOf } = require('../recorder/crafted')

const NONE = { ownWork: [], ownMs: 0 }
const TRACE = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
const NO_REQUEST = { route: null, trace: null }
const QUIET = { cpuMs: 0, runQueueMs: 0, throttledMs: null, observerLateMs: 0 }

/** Reports of a main thread that was or is in `login`, with what was logged. */
function createSubject (parts = {}) {
  const history = new History({ keepMicros: 60e6 })
  const now = monotonicMicros()
  const subject = { history, records: new StallRecords(), logged: [], rotations: 0, now, record: () => history.add(profileOf([[['serve', 'login', 'node:pbkdf2Sync'], 10e6]], now - 5e6)) }
  subject.reports = new StallReports({
    history,
    evidence: { between: () => QUIET },
    isRecording: () => true,
    rotateNow: async () => {
      subject.rotations++
      subject.record()
      return { route: 'POST /login', trace: TRACE }
    },
    isStill: () => true,
    routesOf: () => new Map(),
    logNow: (fields, message) => subject.logged.push({ ...fields, message }),
    records: subject.records,
    context: { appRoot: '/app', hz: 100 },
    thresholdMs: 100,
    canProbe: () => true,
    probesOf: () => [],
    toOriginal: async profile => profile,
    toOriginalProbes: async probes => probes,
    isMapped: () => true,
    ...parts
  })
  return subject
}

test('a stall is explained when the window that holds it has come', async () => {
  const { reports, record, records, now } = createSubject()
  const explained = reports.explain({ id: 7, fromMicros: now - 520e3, toMicros: now, delayMs: 500, ...NONE }, NO_REQUEST)
  record()
  const { cause, culprit, evidence } = await explained
  assert.deepEqual([cause, culprit.function, culprit.call], ['code', 'login', 'pbkdf2Sync'])
  assert.deepEqual(evidence, { ...QUIET, codeMs: 500, gcMs: 0 })
  const profile = records.profile(7)
  assert.equal(profile.endTime - profile.startTime, 500e3)
})

test('what the system did is asked for the time of the delay, without the period of the tick before it', async () => {
  let asked
  const { reports, record, now } = createSubject({ evidence: { between: (from, to) => { asked = to - from; return QUIET } } })
  record()
  await reports.explain({ id: 7, fromMicros: now - 520e3, toMicros: now, delayMs: 500, ...NONE }, NO_REQUEST)
  assert.equal(asked, 500e3)
})

test('where the application ends, it is explained without the source maps that are still being read', async () => {
  const asked = []
  const { reports, record, now } = createSubject({
    toOriginal: (profile, maxMs) => {
      asked.push(maxMs)
      return maxMs === 0 ? Promise.resolve(profile) : new Promise(() => {})
    }
  })
  record()
  const explained = reports.explain({ id: 7, fromMicros: now - 520e3, toMicros: now, delayMs: 500, ...NONE }, NO_REQUEST)
  while (asked.length === 0) await new Promise(resolve => setImmediate(resolve))
  reports.explainNow()
  const { culprit } = await explained
  assert.deepEqual([culprit.function, culprit.call], ['login', 'pbkdf2Sync'])
})

test('one that was reported before its source map was read is reported again with the original positions', async () => {
  let isKnown = false
  const { reports, record, records, now } = createSubject({
    toOriginal: async profile => isKnown ? { ...profile, nodes: profile.nodes.map(node => ({ ...node, callFrame: { ...node.callFrame, lineNumber: 99 } })) } : profile,
    isMapped: () => isKnown
  })
  const explain = async id => {
    const explained = reports.explain({ id, fromMicros: now - 520e3, toMicros: now, delayMs: 500, ...NONE }, NO_REQUEST)
    record()
    return explained
  }
  const { culprit: { functionLine } } = await explain(7)
  assert.notEqual(functionLine, 100)
  await reports.learned()
  assert.notEqual(records.list()[0].culprit.functionLine, 100, 'nothing more is known')
  isKnown = true
  await explain(8)
  await reports.learned()
  await reports.learned()
  assert.deepEqual(records.list().map(({ id, culprit, stack }) => [id, culprit.functionLine, stack[1].function]), [[8, 100, 'login'], [7, 100, 'login']])
})

test('a function has one name as soon as its own source map is read: in older stalls, and where another map is still missing', async () => {
  let isKnown = false
  const { reports, record, records, now } = createSubject({
    toOriginal: async profile => isKnown ? { ...profile, nodes: profile.nodes.map(node => ({ ...node, callFrame: { ...node.callFrame, lineNumber: 99 } })) } : profile,
    isMapped: () => false // that of a package on the stack
  })
  for (let id = 1; id <= 30; id++) {
    const explained = reports.explain({ id, fromMicros: now - 520e3, toMicros: now, delayMs: 500, ...NONE }, NO_REQUEST)
    if (id === 1) record()
    await explained
  }
  isKnown = true
  await reports.learned()
  assert.deepEqual([...new Set(records.list().map(({ culprit }) => culprit.functionLine))], [100])
})

test('loopscope\'s own work in the middle of a stall is not part of its explanation', async () => {
  const { reports, history, now, records } = createSubject({ evidence: { between: () => ({ ...QUIET, cpuMs: 1000, runQueueMs: 600 }) } })
  const ownWork = [{ fromMicros: now - 900e3, toMicros: now - 100e3 }]
  history.add(profileOf([[['serve', 'login'], 100e3], [['(garbage collector)'], 800e3], [['serve', 'login'], 2e6]], now - 1000e3))
  const { cause, culprit, evidence } = await reports.explain({ id: 7, fromMicros: now - 1020e3, toMicros: now, delayMs: 200, ownWork, ownMs: 800 }, NO_REQUEST)
  assert.deepEqual([cause, culprit.function], ['code', 'login'])
  assert.deepEqual([evidence.codeMs, evidence.gcMs, evidence.cpuMs, evidence.runQueueMs], [200, 0, 200, 120])
  assert.equal(records.profile(7).startTime, now - 1000e3)
})

test('without a recorder a stall is judged from the system alone, at once', async () => {
  const { reports, now } = createSubject({ isRecording: () => false, evidence: { between: () => ({ ...QUIET, throttledMs: 400 }) } })
  const { cause, culprit, stack, evidence } = await reports.explain({ id: 7, fromMicros: now - 520e3, toMicros: now, delayMs: 500, ...NONE }, NO_REQUEST)
  assert.deepEqual([cause, culprit, stack, evidence.codeMs], ['starved', null, [], null])
})

test('an idle tick that was a little late was a stall where the samples show one', async () => {
  const explain = async (...samples) => {
    const { reports, history, now } = createSubject()
    history.add(profileOf([[['(idle)'], 50e3], ...samples, [['(idle)'], 2e6]], now - 200e3))
    return reports.explain({ id: 7, fromMicros: now - 200e3, toMicros: now, delayMs: 60, ...NONE, isSuspected: true }, NO_REQUEST)
  }
  const wait = Array.from({ length: 15 }, () => [['poll'], 10e3])
  const { durationMs: delayMs, cause, culprit } = await explain(...wait)
  assert.deepEqual([delayMs, cause, culprit.function], [150, 'code', 'poll'])
  assert.equal(await explain(...wait.slice(0, 7), [['(idle)'], 10e3], ...wait.slice(0, 7)), null)
})

test('where collector or system held the loop only a function of the application that clearly ran is named', async () => {
  const COLLECTION = [['(garbage collector)'], 600e3]
  const times = (count, stack) => Array.from({ length: count }, () => [stack, 10e3])
  const whom = async (...samples) => {
    const { reports, history, now } = createSubject({ evidence: { between: () => ({ ...QUIET, cpuMs: 650 }) } })
    history.add(profileOf([...samples, COLLECTION, [['(idle)'], 2e6]], now - samples.length * 10e3 - 600e3))
    const { cause, culprit } = await reports.explain({ id: 7, fromMicros: now - 720e3, toMicros: now, delayMs: 600 + samples.length * 10, ...NONE }, NO_REQUEST)
    return [cause, culprit?.function ?? null]
  }
  assert.deepEqual(await whom(...times(10, ['dep:handle'])), ['gc', null])
  assert.deepEqual(await whom(...times(4, ['dep:handle', 'fillCache'])), ['gc', null])
  assert.deepEqual(await whom(...times(6, ['dep:handle', 'fillCache']), ...times(7, ['dep:next'])), ['gc', null])
  assert.deepEqual(await whom(...times(10, ['dep:handle', 'fillCache'])), ['gc', 'fillCache'])
})

test('where the collector left almost no samples, the function in all stack probes is named, with their stack', async () => {
  const call = (name, line, functionLine) => ({ name, receiver: '', file: 'app.js', line, column: 5, functionLine, functionColumn: 1 })
  const stack = [call('fillCache', 43, 41), call('serve', 12, 11)]
  const explain = async ({ evidence = { cpuMs: 650 }, samples = [], probes = [100, 150, 225] }) => {
    const probesOf = fromMicros => probes.map(ms => ({ atMicros: fromMicros + ms * 1e3, stack }))
    const { reports, history, now } = createSubject({ evidence: { between: () => ({ ...QUIET, ...evidence }) }, probesOf })
    history.add(profileOf([...samples, [['(garbage collector)'], 600e3], [['(idle)'], 2e6]], now - samples.length * 10e3 - 600e3))
    return reports.explain({ id: 7, fromMicros: now - 720e3, toMicros: now, delayMs: 600 + samples.length * 10, ...NONE }, NO_REQUEST)
  }
  const { cause, culprit, stack: shown } = await explain({})
  assert.deepEqual([cause, culprit.function, culprit.line, culprit.share], ['gc', 'fillCache', 43, 1])
  assert.deepEqual(shown.map(frame => [frame.function, frame.line]), [['fillCache', 43], ['serve', 11]])
  const beside = await explain({ samples: [[['dep:next'], 10e3]] })
  assert.deepEqual([beside.culprit.function, beside.stack[0].function], ['fillCache', 'fillCache'])
  const disputed = await explain({ samples: Array.from({ length: 5 }, () => [['dep:next'], 10e3]) })
  assert.deepEqual([disputed.cause, disputed.culprit, disputed.stack[0].function], ['gc', null, 'next'])
  assert.equal((await explain({ probes: [100, 150] })).culprit, null)
  const starved = await explain({ evidence: { cpuMs: 50, runQueueMs: 500 } })
  assert.deepEqual([starved.cause, starved.culprit, starved.stack], ['starved', null, []])
})

test('a loop that is still stuck is reported with culprit and route from an interrupt in the middle of it', async () => {
  const subject = createSubject()
  const { reports, records, logged, now } = subject
  await reports.reportWhileStuck({ tickMicros: now - 2e6, delayMs: 1980 })
  assert.equal(subject.rotations, 1)
  const [{ stall, message }] = logged
  assert.deepEqual([stall.lasting, stall.route, stall.culprit.function], [true, 'POST /login', 'login'])
  assert.ok(stall.durationMs >= 2000)
  const { current } = records.read()
  assert.deepEqual([current.route, current.culprit.function], ['POST /login', 'login'])
  assert.match(message, /^the event loop has been stuck for \d+ ms, in pbkdf2Sync called by login \(app\.js:\d+\) for POST \/login$/)
})

test('a main thread that does not answer is reported too', async () => {
  const { reports, logged, now } = createSubject({ rotateNow: () => new Promise(() => {}) })
  await reports.reportWhileStuck({ tickMicros: now - 2e6, delayMs: 1980 })
  assert.match(logged[0].message, /in a native call, or the process is not being run: V8 does not answer$/)
  assert.deepEqual([logged[0].stall.culprit, logged[0].stall.route], [null, null])
})

test('a loop that went on meanwhile, and a session that closed, make no noise', async () => {
  const freed = createSubject({ isStill: () => false })
  await freed.reports.reportWhileStuck({ tickMicros: freed.now - 2e6, delayMs: 1980 })
  assert.deepEqual(freed.logged, [])
  const closed = createSubject({ rotateNow: async () => { throw new Error('Session was closed') } })
  closed.record()
  await closed.reports.reportWhileStuck({ tickMicros: closed.now - 2e6, delayMs: 1980 })
  assert.equal(closed.logged[0].stall.route, null)
})

test('without a request that was seen at work, the route is that of the functions that ran for most of the stall', async () => {
  const { reports, record, now } = createSubject({ routesOf: nodes => new Map(nodes.filter(({ callFrame }) => callFrame.functionName === 'pbkdf2Sync').map(({ id }) => [id, 'POST /login'])) })
  record()
  const routeOf = async subject => (await reports.explain({ id: 7, fromMicros: now - 520e3, toMicros: now, delayMs: 500, ...NONE }, subject)).route
  assert.equal(await routeOf(NO_REQUEST), 'POST /login')
  assert.equal(await routeOf({ ...NO_REQUEST, route: 'GET /home' }), 'GET /home')
})
