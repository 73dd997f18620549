'use strict'

// Sources with fixed numbers. The two that own buckets, loop delay and requests, are the real parts.

const { BucketCounts } = require('../../lib/base/bucket-counts')
const { BOUNDS_SECONDS } = require('../../lib/probe/heap/collections')
const { DelayHistogram } = require('../../lib/probe/loop/delay-histogram')
const { createRequestDurations } = require('../../lib/api/http/request-durations')

const CAUSES = ['code', 'gc', 'starved', 'suspended', 'unknown']

function createRequests () {
  const requests = createRequestDurations()
  for (const seconds of [0.004, 0.02, 0.3]) {
    requests.finished({ active: requests.started('GET', 'http'), route: '/say/"hi"\\:name', status: 200, seconds })
  }
  requests.started('POST', 'http')
  return requests
}

/** @param {{ blockedMs?: number }} [given] */
function createFakeSources ({ blockedMs = 300 } = {}) {
  const delay = new DelayHistogram({ periodMs: 20 })
  for (let tick = 0; tick < 10; tick++) delay.record(0.4)
  delay.record(blockedMs)
  const captureDurations = new BucketCounts([1, 10])
  captureDurations.observe(10.2)
  const gcSeconds = new BucketCounts(BOUNDS_SECONDS)
  gcSeconds.observe(0.002)

  return {
    delay,
    iterations: { recentMaxMs: 12 },
    utilization: { read: () => ({ utilization: 0.75, activeSeconds: 3, idleSeconds: 1 }) },
    stalls: {
      totals: CAUSES.map(cause => ({ cause, count: cause === 'code' ? 1 : 0, seconds: cause === 'code' ? blockedMs / 1e3 : 0 })),
      traced: [],
      routeTotals: [{ route: 'GET /auth', seconds: blockedMs / 1e3 }, { route: null, seconds: 0 }]
    },
    requests: createRequests(),
    jobs: { read: () => [{ job: 'resize', outcome: 'ok', reading: { bounds: [0.1, 1], counts: [1, 2], count: 2, sum: 0.6 } }] },
    calls: [
      { kind: 'redis', operation: 'GET', target: 'cache:6379', errors: 1, reading: { bounds: [0.1, 1], counts: [2, 3], count: 3, sum: 0.5 } },
      { kind: 'mysql', operation: 'acquire', target: 'db:3306', errors: 0, reading: { bounds: [0.1, 1], counts: [1, 1], count: 1, sum: 0.05 } }
    ],
    captures: {
      totals: [{ kind: 'cpu', trigger: 'api', outcome: 'ok', count: 1 }, { kind: 'cpu', trigger: 'http', outcome: 'failed', count: 2 }],
      inProgress: [{ kind: 'cpu', count: 1 }],
      durations: [{ kind: 'cpu', reading: captureDurations.read() }]
    },
    exactCalls: {
      counts: () => ({
        calls: [{ api: 'crypto.pbkdf2Sync', route: '/auth', calls: 3, seconds: 0.3 }],
        flagged: [{ api: 'crypto.pbkdf2Sync', route: '/auth', count: 1 }]
      })
    },
    syncCalls: { sampled: [{ api: 'fs.readFileSync', route: '', calls: 0, seconds: 0.2 }], flagged: [] },
    pool: { queued: 2, maxWaitMs: 90 },
    threads: [{ kind: 'resize', busyMs: 1500, stalls: 2 }, { kind: 'mail.js', busyMs: 20, stalls: 0 }],
    clock: { recentMaxStalenessMs: 25 },
    collections: { listeners: new Set(), read: () => [{ type: 'minor', reading: gcSeconds.read() }] },
    heapSpaces: { read: () => [{ space_name: 'old_space', space_size: 4e7, space_used_size: 3e7, space_available_size: 1e6, physical_space_size: 35e6 }] },
    heap: { trend: () => ({ spaces: [{ name: 'old_space', usedBytes: 5e6, bytesPerMinute: 0 }] }) },
    memory: {
      owners: [['heap', 5e7], ['worker', 3e7]],
      container: { usedBytes: 2e8, limitBytes: 5e8 }
    },
    admin: { requests: [{ endpoint: 'stalls', code: 200, count: 4 }], refusals: [{ reason: 'bad', count: 1 }] },
    egress: { totals: [{ to: 'put', outcome: 'sent', count: 3 }], queueBytes: 0 },
    rules: [{ rule: 'long stall', outcome: 'done', count: 2 }],
    overhead: { read: () => [{ component: 'recorder', seconds: 0.25 }], observerRestarts: 1 },
    version: '1.2.3'
  }
}

/** A logger that keeps its warnings. */
function createFakeLogger () {
  const warnings = []
  return { warnings, warn: (fields, message) => warnings.push({ ...fields, message }) }
}

module.exports = { createFakeSources, createFakeLogger, CAUSES }
