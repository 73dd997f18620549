'use strict'

// Readings of a process in good health, in which a test changes what it is about.

const PLACE = Object.freeze({ function: 'login', file: 'auth.js', line: 23, column: 18 })

function spot (changes = {}) {
  const { culprit, stalls, ...rest } = changes
  return {
    culprit: { ...PLACE, functionLine: 20, call: null, via: null, share: 1, ...culprit },
    calledShare: 1,
    origin: 'app',
    ms: 30_000,
    ownMs: rest.ms ?? 30_000,
    share: 0.9,
    samples: 3000,
    sinceMs: 1_000_000,
    route: 'POST /login',
    routes: [{ route: 'route' in rest ? rest.route : 'POST /login', share: rest.share ?? 0.9 }],
    text: '',
    waitLoop: null,
    isOwn: true,
    isLogging: false,
    isStreaming: false,
    isWriting: false,
    development: null,
    inPackage: null,
    compiling: null,
    converter: null,
    queueMs: 0,
    isStartUp: false,
    sync: null,
    stalls: { count: 0, ms: 0, longestMs: 0, lines: [], ...stalls },
    ...rest
  }
}

function stall (changes = {}) {
  const { evidence, ...rest } = changes
  return {
    id: 1,
    at: 1_010_000,
    durationMs: 300,
    cause: 'code',
    route: null,
    culprit: null,
    stack: [],
    evidence: { cpuMs: 290, runQueueMs: 1, throttledMs: null, observerLateMs: 0, codeMs: 290, gcMs: 0, ...evidence },
    ...rest
  }
}

const NO_CALLS = Object.freeze({ ms: 0, samples: 0, where: null })
const NO_CATEGORY = Object.freeze({ ms: 0, where: null })

/** @param {{ activity?: object | null, process?: object | null }} changes  the rest replaces what is there */
function readings ({ activity = {}, process: known = {}, system, ...rest } = {}) {
  const { categories, ...act } = activity ?? {}
  const { memory, ...proc } = known ?? {}
  return {
    at: 1_060_000,
    pid: 77,
    startedAt: 0,
    thresholdMs: 100,
    blockedMs: 0,
    activity: activity === null
      ? null
      : {
          fromMs: 1_000_000,
          observedMs: 60_000,
          samples: 2000,
          busyMs: 20_000,
          gcMs: 500,
          hotSpots: [],
          sockets: { writes: NO_CALLS, sends: NO_CALLS, connects: NO_CALLS, accepts: { ms: 0, samples: 0, closingMs: 0 }, otherWritesMs: 0, loopMs: 0 },
          categories: { logging: NO_CATEGORY, tasks: NO_CATEGORY, immediates: NO_CATEGORY, collected: NO_CATEGORY, buffers: NO_CATEGORY, ...categories },
          ...act
        },
    stalls: [],
    slow: [],
    system: { ms: 1000, cpuMs: 330, runQueueMs: 5, throttledMs: null, io: null, ...system },
    ownCpu: { ranShare: 0.98, observerMs: 5000 },
    pool: { queued: 0, maxWaitMs: 0 },
    threads: null,
    memory: null,
    process: known === null
      ? null
      : {
          uptimeMs: 1_060_000,
          startUpMs: 400,
          delay: { p50Ms: 1, p99Ms: 12 },
          memory: { heapUsedBytes: 5e7, oldBytes: 4e7, limitBytes: 4e9, trend: null, outside: null, ...memory },
          poolSize: 4,
          waitsFor: { TCPSocketWrap: 3 },
          ownSeconds: { heartbeat: 1, recorder: 1, observer: 5, 'own-work': 0 },
          routes: [{ route: 'GET /', count: 50_000, seconds: 500 }],
          inFlight: 2,
          ...proc
        },
    pace: { ms: 1000, routes: [{ route: 'GET /', count: 100, seconds: 1 }] },
    isStale: false,
    ...rest
  }
}

module.exports = { PLACE, readings, spot, stall }
