'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { formatEvidence } = require('../../lib/shared/findings/details')

const shows = { duration: ms => `${ms} ms`, bytes: bytes => `${bytes} B` }

test('figures are shown in their unit, which is in their name', () => {
  const evidence = { busyShare: 0.42, longestStallMs: 300, oldBytes: 7, bytesPerMinute: 5, utilization: 0.9, ms: 2, minutesToLimit: 3, stalls: 4, delayP99Ms: 12, api: 'fs.readFileSync', route: null, since: '' }
  assert.deepEqual(formatEvidence(evidence, shows).map(({ name, text }) => `${name}: ${text}`), [
    'busy: 42 %', 'longest stall: 300 ms', 'old: 7 B', 'growth: 5 B per minute', 'utilization: 90 %', 'time: 2 ms', 'minutes to limit: 3', 'stalls: 4', 'delay p99: 12 ms', 'api: fs.readFileSync'
  ])
})
