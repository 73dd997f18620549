'use strict'

// d.job(): work without a request is followed like a request, and nothing of it changes.

const test = require('node:test')
const assert = require('node:assert/strict')
const { AsyncLocalStorage } = require('node:async_hooks')
const { once } = require('node:events')
const { setTimeout: sleep } = require('node:timers/promises')
const diagnostics = require('../..')
const { forgetWarnings } = require('../../lib/base/warnings')

const SILENT = { info () {}, warn () {}, error () {}, debug () {} }

/** @param {import('node:test').TestContext} t */
function create (t, options) {
  const d = diagnostics.createDiagnostics({ logger: SILENT, controlSocket: false, ...options }).start()
  const alive = setInterval(() => {}, 1000)
  t.after(() => {
    clearInterval(alive)
    return d.close()
  })
  return d
}

function spin (ms) {
  const untilMs = performance.now() + ms
  let sum = 0
  while (performance.now() < untilMs) for (let index = 0; index < 1000; index++) sum += Math.sqrt(index)
  return sum
}

async function countsOf (d) {
  const { values } = await d.registry.getSingleMetric('loopscope_job_duration_seconds').get()
  return values.filter(({ metricName }) => metricName.endsWith('_count')).map(({ labels: { job, outcome }, value }) => `${job} ${outcome} ${value}`)
}

test('what a job returns and throws is what its function returns and throws', async t => {
  const d = create(t)
  const error = new Error('its own')
  const storage = new AsyncLocalStorage()
  for (const subject of [d, diagnostics.createDiagnostics()]) { // the other one is not started
    assert.equal(subject.job('a', () => 5), 5)
    assert.equal(await subject.job('a', async () => { await sleep(1); return 6 }), 6)
    assert.throws(() => subject.job('b', () => { throw error }), thrown => thrown === error)
    await assert.rejects(subject.job('b', async () => { await null; throw error }), thrown => thrown === error)
    assert.equal(storage.run('mine', () => subject.job('a', () => storage.getStore())), 'mine')
    const lazy = { then: resolve => resolve(7) }
    assert.equal(await subject.job('a', () => lazy), 7)
    assert.throws(() => subject.job('a'), { code: 'ERR_LOOPSCOPE_INVALID_OPTION' })
  }
  assert.deepEqual(await countsOf(d), ['a ok 4', 'b error 2'])
})

test('a rejection that nobody handles stays one', async t => {
  const d = create(t)
  const seen = once(process, 'unhandledRejection')
  const listeners = process.listeners('unhandledRejection').slice(0, -1)
  for (const listener of listeners) process.off('unhandledRejection', listener)
  t.after(() => { for (const listener of listeners) process.on('unhandledRejection', listener) })
  const error = new Error('unhandled')
  d.job('a', async () => { throw error })
  assert.equal((await seen)[0], error)
})

test('jobs under way are listed, each with what runs in it', async t => {
  const d = create(t)
  const gate = new AbortController()
  const outer = d.job('outer', () => d.job('inner', () => once(gate.signal, 'abort')))
  d.job('asks', () => spin(1))
  const { total, requests } = await d.requests()
  assert.deepEqual([total, requests.map(({ route, method, state, clientGone }) => [route, method, state, clientGone])], [2, [
    ['job outer', 'job', 'waiting', false],
    ['job inner', 'job', 'waiting', false]
  ]])
  gate.abort()
  await outer
  assert.equal((await d.requests()).total, 0)
})

test('a stall in a job, its samples and its slow runs have the name of the job', async t => {
  const d = create(t)
  const stalls = []
  d.on('stall', stall => { if (stall.route === 'job resize' && stall.cause === 'code') stalls.push(stall) })
  while (stalls.length === 0) { // the first ones may come before the recorder has started
    await d.job('resize', async () => {
      await sleep(5)
      spin(400)
    })
    await sleep(50)
  }
  assert.equal(stalls[0].culprit.function, 'spin')
  d.job('encode', () => spin(300))
  const found = Object.fromEntries((await d.slowRequests()).map(request => [request.route, request]))
  assert.deepEqual([found['job resize'].status, found['job resize'].durationMs >= 400, found['job encode'].ownMs > 100], [null, true, true])
  const artifact = await d.capture('cpu', { last: 2, format: 'text' })
  assert.match(await artifact.text(), /job encode/)
})

test('names are bounded in number, and one that is no name is none', async t => {
  forgetWarnings()
  const warnings = []
  const d = create(t, { logger: { ...SILENT, warn: ({ code }) => warnings.push(code) } })
  for (let number = 0; number < 110; number++) d.job(`job-${number}`, () => {})
  assert.equal(d.job('a\nb', () => 1) + d.job('', () => 1) + d.job('x'.repeat(101), () => 1) + d.job(undefined, () => 1), 4)
  const counts = await countsOf(d)
  assert.deepEqual([counts.length, counts.at(-1), warnings.filter(code => code === 'LOOPSCOPE_WARN_JOB')], [101, '_other ok 14', ['LOOPSCOPE_WARN_JOB']])
})

test('without an observer a job runs and is listed as well', async t => {
  const d = create(t, { observerFile: '/nowhere/at-all.js' })
  const gate = new AbortController()
  const waiting = d.job('waits', () => once(gate.signal, 'abort'))
  assert.deepEqual((await d.requests()).requests.map(({ route }) => route), ['job waits'])
  gate.abort()
  await waiting
})
