'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { Registry } = require('prom-client')
const { createMetrics } = require('../../lib/api/metrics/metrics')
const { createFakeSources, createFakeLogger } = require('../metrics/fake-sources')

const skip = spawnSync('promtool', ['--version']).error ? 'promtool is not installed' : false

const check = text => spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8', timeout: 30_000 })

test('promtool has nothing to say against the metrics', { skip }, async () => {
  const registry = new Registry()
  createMetrics({ registry, logger: createFakeLogger(), sources: createFakeSources() }).start()
  const { status, stderr } = check(await registry.metrics())
  assert.equal(stderr, '')
  assert.equal(status, 0)
})

test('promtool would say so', { skip }, () => {
  assert.notEqual(check('# TYPE wrong counter\nwrong 1\n').status, 0)
})
