'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { gunzipSync } = require('node:zlib')
const { Profile } = require('pprof-format')
const { buildCallTree } = require('../../lib/formats/profile/call-tree')
const { FORMATS } = require('../../lib/formats/formats')
const { summarizeTime } = require('../../lib/formats/profile/time-kinds')
const { craft, readRecorded } = require('../fixtures/profiles/profiles')

function decode (profile, context) {
  const message = Profile.decode(gunzipSync(FORMATS.pprof.encode(profile, context)))
  const string = index => message.stringTable.strings[Number(index)]
  const names = new Map(message.function.map(entry => [entry.id, string(entry.name)]))
  const frames = new Map(message.location.map(({ id, line: [{ functionId, line }] }) => [id, `${names.get(functionId)}:${line}`]))
  const samples = message.sample.map(({ locationId, value }) => ({ stack: locationId.map(id => frames.get(id)), value: value.map(Number) }))
  return { message, string, samples }
}

test('says what it measures, when and for how long', () => {
  const profile = craft([[['work'], 10_000], [['work'], 10_000], [['(idle)'], 30_000]])
  const { message, string } = decode(profile, { startedAt: 1_750_000_000_123.5, title: 'shop', notes: ['short'] })
  const typeOf = ({ type, unit }) => `${string(type)}/${string(unit)}`
  assert.deepEqual(message.sampleType.map(typeOf), ['samples/count', 'cpu/nanoseconds'])
  assert.equal(typeOf(message.periodType), 'cpu/nanoseconds')
  assert.equal(message.period, 10_000_000)
  assert.equal(BigInt(message.timeNanos), 1_750_000_000_123_500_000n)
  assert.equal(message.durationNanos, 50_000_000)
  assert.deepEqual(message.comment.map(string), ['shop', 'short'])
})

test('writes stacks innermost first, weighed by time, without the root and without idle time', () => {
  const { samples } = decode(craft([[['outer', 'inner'], 10_000], [['outer', 'inner'], 25_000], [['(idle)'], 30_000]]))
  assert.deepEqual(samples, [{ stack: ['inner:4', 'outer:3'], value: [2, 35_000_000] }])
})

test('divides a function among its lines without losing a sample', () => {
  const profile = craft([[['work'], 10], [['work'], 10], [['work'], 10], [['work'], 10], [['work'], 10]])
  profile.nodes[1].positionTicks = [{ line: 8, ticks: 1 }, { line: 9, ticks: 1 }, { line: 11, ticks: 1 }]
  const { samples } = decode(profile)
  assert.deepEqual(samples.map(({ stack }) => stack[0]), ['work:8', 'work:9', 'work:11'])
  assert.equal(samples.reduce((sum, { value }) => sum + value[0], 0), 5)
})

test('distinguishes anonymous functions', () => {
  const profile = craft([[['first'], 10], [['second'], 10]])
  for (const { callFrame } of profile.nodes.slice(1)) callFrame.functionName = ''
  const { message, string } = decode(profile, { appRoot: '/app' })
  assert.deepEqual(message.function.map(({ name }) => string(name)), ['(anonymous) app.js:3', '(anonymous) app.js:4'])
})

test('in a bundle without a map each function has its column in its name: a minifier calls many alike', () => {
  const profile = craft([[['a'], 10], [['b'], 10]])
  profile.nodes.slice(1).forEach(({ callFrame }, at) => Object.assign(callFrame, { functionName: 'h', lineNumber: 0, columnNumber: 700 + at }))
  const { message, string } = decode(profile, { appRoot: '/app' })
  assert.deepEqual(message.function.map(({ name }) => string(name)), ['h app.js:1:701', 'h app.js:1:702'])
})

for (const { name, profile } of readRecorded()) {
  test(`holds all the busy time and all busy samples of ${name}`, () => {
    const { samples, message, string } = decode(profile, { appRoot: '/app' })
    const { busy } = summarizeTime(buildCallTree(profile))
    const nanos = samples.reduce((sum, { value }) => sum + value[1], 0)
    assert.ok(Math.abs(nanos / 1e3 - busy) < 1, `${nanos} ns against ${busy} µs`)
    const idle = profile.nodes.find(({ callFrame }) => callFrame.functionName === '(idle)').id
    assert.equal(samples.reduce((sum, { value }) => sum + value[0], 0), profile.samples.filter(id => id !== idle).length)
    const login = message.function.find(entry => string(entry.name) === 'login')
    assert.deepEqual([string(login.filename), login.startLine], ['routes.js', 9])
  })
}
