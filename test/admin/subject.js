'use strict'

// A router with the real table of routes over fake sources: real profiles, a real store, a main thread that does what it is told.

const path = require('node:path')
const { Router } = require('../../lib/observer/admin/router')
const { createRoutes } = require('../../lib/observer/admin/routes')
const { hashToken } = require('../../lib/shared/admin/tokens')
const { checkRequest } = require('../../lib/shared/captures/kinds')
const { errors } = require('../../lib/base/errors')
const { newMark } = require('../../lib/shared/marks')
const { findFindings } = require('../../lib/observer/findings/find-findings')
const { createStore } = require('../../lib/observer/store/store')
const { readings } = require('../findings/readings')
const { profileOf } = require('../recorder/crafted')
const { makeScratch } = require('../store/scratch')

const TOKENS = Object.fromEntries(['metrics', 'profile', 'dump', 'manage'].map(scope => [scope, `${scope}-token-of-at-least-32-characters`]))
const APPLICATION = {
  id: 1,
  isProduction: false,
  tokens: Object.entries(TOKENS).map(([scope, token]) => ({ sha256: hashToken(token), scope })),
  tokenFile: null,
  hasAuthorize: false,
  hosts: ['shop.internal']
}

const STALL = {
  id: 7,
  at: Date.UTC(2026, 10, 20),
  durationMs: 300,
  cause: 'code',
  route: 'POST /login',
  culprit: { function: 'login', file: 'routes/login.js', line: 12, column: 3, functionLine: 8, call: 'pbkdf2Sync', via: null, share: 0.98 },
  stack: [{ function: 'login', file: 'routes/login.js', line: 12, column: 3 }],
  evidence: {}
}

/** @param {any} t */
function createSubject (t, { application = {}, sources = {}, now } = {}) {
  const marks = []
  const store = createStore({ dir: makeScratch(t), retention: { minFreeBytes: 0 } })
  const subject = { store, counted: [], logged: [], captures: [] }
  subject.sources = {
    facts: { appName: 'shop', appRoot: '/app', pid: 1, startedAt: 0, nodeVersion: '24.0.0', version: '1.0.0', keepSeconds: 60, hz: 100, stallThresholdMs: 100 },
    isInGroup: false,
    group () { throw new errors.ERR_LOOPSCOPE_NO_GROUP() },
    rules: () => ({ dryRun: false, rules: [] }),
    loopNow: () => ({ blockedMs: 0 }),
    recorder: () => ({ off: null, fromMs: 1000 }),
    marks: () => [...marks],
    mark (text) {
      const mark = newMark(text)
      marks.push(mark)
      return mark
    },
    whatIf: async ({ route, scale = 0 }) => ({ at: 1, pid: 77, appName: 'shop', isStale: false, route, scale, measured: [], prediction: { change: 'removed', reason: 'fewer than 40 requests were seen', seconds: 0, requests: 0, clients: 'unknown', maxSpeedUp: null, routes: [] } }),
    allocationSites: async () => ({ pid: 77, reason: 'asked', fromMs: 0, toMs: 60_000, isArmed: false, intervals: [], sites: [], heap: null, buffers: null, notes: [], ownMs: 0 }),
    memory: async () => ({ pid: 77, rssBytes: 1e8, owners: [{ owner: 'heap', name: null, bytes: 1e8, allocatedBytes: 1e8 }], growing: [], container: null, isStale: false }),
    threads: async () => ({ off: 'option threads is false', unwatched: 0, threads: [], stalls: [] }),
    knownThreads: () => null,
    threadLoad: () => null,
    series: () => [{ at: 1, maxDelayMs: 2, utilization: 0.25, answered: 7 }],
    requestTotals: () => ({ answered: 7, inFlight: 2 }),
    stalls: () => ({ stalls: [STALL], current: null, totals: { count: 1, blockedMs: 300, byCause: [], byRoute: [{ route: 'POST /login', count: 1, ms: 300 }] } }),
    findings: async () => findFindings(readings(), { appName: 'shop' }),
    stallProfile: id => id === STALL.id ? profileOf([[['login', 'node:pbkdf2Sync'], 300e3]]) : null,
    ask: async name => ({ value: ANSWERS[name], at: Date.now(), isStale: false }),
    authorize: async () => false,
    report: async () => process.report.getReport(),
    sampleHeap: async () => ({ profile: SAMPLING, before: null, fromMs: 0, toMs: 1000 }),
    view: async ({ fromMs, toMs }) => ({ profile: profileOf([[['login', 'node:pbkdf2Sync'], 1e6]]), isShortened: toMs - fromMs > 60e3, fromMs, toMs: fromMs + 1000 }),
    checkCapture: checkRequest,
    async capture ({ kind, options, trigger }, controls) {
      subject.captures.push({ kind, options, trigger, controls })
      const bytes = Buffer.from('{}')
      const file = store.write({ kind, extension: 'cpuprofile', at: Date.now(), appName: 'shop', bytes })
      return { ...file, kind, format: 'cpuprofile', trigger, contentType: 'application/json', from: 0, to: 1, shortened: null }
    },
    store,
    context: (title, notes = []) => ({ appRoot: '/app', title, notes }),
    syncCalls: async () => SYNC_CALLS,
    exactCalls: async () => ({ value: SYNC_CALLS, at: Date.now(), isStale: false }),
    requests: async () => IN_FLIGHT,
    slowRequests: async () => ({ isStale: false, at: Date.now(), requests: [SLOW] }),
    waits: async ({ seconds = null }) => ({ seconds, seen: null, sampled: 0, seesCallbacks: false, isStale: false, routes: [] }),
    reportSections: () => ({ sections: [], lines: [] }),
    toOriginal: async profile => profile,
    log: { info: (fields, message) => subject.logged.push({ ...fields, message }), warn: (fields, message) => subject.logged.push({ ...fields, message, isWarning: true }) },
    count: event => subject.counted.push(event),
    ...sources
  }
  subject.router = new Router({ application: { ...APPLICATION, ...application }, sources: subject.sources, routes: createRoutes(), now })
  subject.ask = (target, how) => ask(subject.router, target, how)
  return subject
}

const FRAME = { functionName: 'fill', scriptId: '1', url: 'file:///app/cache.js', lineNumber: 4, columnNumber: 2 }
const SAMPLING = {
  head: { callFrame: { ...FRAME, functionName: '(root)' }, selfSize: 0, id: 1, children: [{ callFrame: FRAME, selfSize: 1e6, id: 2, children: [] }] },
  samples: [{ size: 5e5, nodeId: 2, ordinal: 1 }, { size: 5e5, nodeId: 2, ordinal: 2 }]
}

const IN_FLIGHT = {
  at: Date.UTC(2026, 10, 20),
  ageMs: 0,
  isStale: false,
  blockedMs: 350,
  total: 3,
  upgraded: 1,
  running: { route: 'POST /login', culprit: { function: 'checkPassword', file: 'app.js', line: 8, column: 42, functionLine: 8, call: 'pbkdf2Sync', via: null, share: 1 } },
  requests: [
    { route: 'GET /orders/:id', method: 'GET', at: Date.UTC(2026, 10, 20), ageMs: 5200, state: 'waiting', waits: [{ kind: 'redis', operation: 'GET', target: '127.0.0.1:6379', calls: 1, ms: 5100 }], clientGone: true, traceId: null },
    { route: null, method: 'GET', at: Date.UTC(2026, 10, 20), ageMs: 400, state: 'loop', waits: [], clientGone: false, traceId: null },
    { route: 'POST /login', method: 'POST', at: Date.UTC(2026, 10, 20), ageMs: 360, state: 'running', waits: [], clientGone: false, traceId: null }
  ]
}

const SLOW = {
  at: Date.UTC(2026, 10, 20),
  route: 'GET /fast',
  status: 200,
  durationMs: 820.5,
  unreadMs: 812,
  ownMs: 1.5,
  behindMs: 812,
  behind: [{ route: 'POST /login', ms: 800 }, { route: null, ms: 12 }],
  gcMs: 0,
  waitingMs: 7,
  waits: [],
  waitedAt: null,
  steps: [],
  traceId: null
}

const SYNC_CALLS = { sampled: [], totals: null, exact: null, startUp: null, pool: { queued: 0, maxWaitMs: 0 }, at: 5, isStale: false }

const ANSWERS = {
  metrics: { contentType: 'text/plain; version=0.0.4; charset=utf-8', text: '# HELP a b\n# TYPE a counter\na 1\n' },
  memory: { rssBytes: 1e6, spaces: [] },
  processReading: { delay: { utilization: 0.25 }, routes: [{ route: 'GET /a', count: 3, seconds: 1 }, { route: 'GET /b', count: 4, seconds: 1 }], inFlight: 2 }
}

/** The request that an endpoint would make of it; with the token of everything unless told otherwise. */
function requestOf (target, { method = 'GET', endpoint = 'listener', base = '', token = TOKENS.manage, headers = {}, body = null, peer = '127.0.0.1' } = {}) {
  const [place, query = ''] = target.split('?')
  return {
    endpoint,
    method,
    base,
    path: place,
    query,
    headers: { host: 'localhost:6060', ...(token !== null && { authorization: `Bearer ${token}` }), ...(body !== null && { 'content-type': 'application/json' }), ...headers },
    peer,
    isEncrypted: false,
    body: body === null ? null : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

async function ask (router, target, how = {}) {
  const response = await router.handle(requestOf(target, how), how.signal ?? new AbortController().signal)
  const isJson = /json/.test(response.headers['Content-Type'] ?? '') && typeof response.body === 'string'
  return { ...response, value: isJson ? JSON.parse(response.body) : undefined }
}

function unavailable () {
  throw new errors.ERR_LOOPSCOPE_LOOP_BLOCKED(300)
}

module.exports = { IN_FLIGHT, createSubject, requestOf, unavailable, SLOW, STALL, TOKENS, APPLICATION, FIXTURES: path.join(__dirname, '..', 'fixtures') }
