'use strict'

// What is put where: the URL is filled in, the content is of the item.

const test = require('node:test')
const assert = require('node:assert/strict')
const { gunzipSync } = require('node:zlib')
const { BACKENDS } = require('../../lib/observer/egress/backends')
const { DESTINATIONS } = require('../../lib/shared/egress/destinations')

const SETTINGS = { to: 'put', url: 'https://bucket.example/{service}/{host}/{pid}/{kind}/{time}-{file}', everySeconds: false, labels: {} }
const ITEM = {
  id: 'one',
  kind: 'stall',
  fromMs: Date.UTC(2026, 10, 23, 2, 3, 4, 5),
  toMs: Date.UTC(2026, 10, 23, 2, 3, 5, 5),
  fileName: 'stall-api-1.json',
  labels: { service: 'the api', pid: '12', host: 'a/b', version: '1.0.0' }
}
const PROFILE = {
  nodes: [{ id: 1, callFrame: { functionName: '(root)', scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 } }],
  startTime: 0,
  endTime: 1000,
  samples: [1],
  timeDeltas: [500]
}

test('every destination has a backend', () => {
  assert.deepEqual(Object.keys(BACKENDS), Object.keys(DESTINATIONS))
})

test('the places of the URL are filled in, and cannot break out of it', () => {
  const { method, url } = BACKENDS.put({ ...ITEM, report: {} }, SETTINGS)
  assert.equal(method, 'PUT')
  assert.equal(url, 'https://bucket.example/the%20api/a%2Fb/12/stall/20261123t020304005z-stall-api-1.json')
})

test('a report is JSON, a profile is pprof, an artifact is its file', () => {
  const report = BACKENDS.put({ ...ITEM, report: { durationMs: 1000 } }, SETTINGS)
  assert.deepEqual(JSON.parse(report.body), { durationMs: 1000 })
  assert.equal(report.headers['content-type'], 'application/json; charset=utf-8')
  const profile = BACKENDS.put({ ...ITEM, kind: 'cpu', profile: PROFILE }, SETTINGS)
  assert.ok(gunzipSync(profile.body).length > 0)
  assert.equal(BACKENDS.put({ ...ITEM, kind: 'cpu', file: '/tmp/one' }, SETTINGS).body, null)
})
