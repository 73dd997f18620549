'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { assertCpuProfile } = require('../../lib/formats/profile/assert-profile')
const { buildCallTree } = require('../../lib/formats/profile/call-tree')
const { onlyRoute } = require('../../lib/formats/profile/only-route')
const { summarizeTime, timesByRoute } = require('../../lib/formats/profile/time-kinds')
const { craft, readRecorded, withRoutes } = require('../fixtures/profiles/profiles')

const HANDLERS = { login: 'POST /login', parseReport: 'GET /reports/:id', fillHeap: 'GET /fill' }
const LABELLED = withRoutes(craft([
  [['serve', 'login'], 200_000], [['serve', 'parseReport'], 500_000], [['work'], 100_000], [['serve', 'login', 'hash'], 200_000], [['(idle)'], 1_000_000]
]), HANDLERS)

const namesIn = ({ nodes }) => nodes.map(({ callFrame }) => callFrame.functionName)

test('keeps the time of the recording, and of the busy time the route\'s own', () => {
  const { profile } = onlyRoute(LABELLED, 'POST /login')
  const { busy, idle } = summarizeTime(buildCallTree(profile))
  assert.deepEqual([busy, idle], [400_000, 1_600_000])
  assert.deepEqual([profile.startTime, profile.endTime, profile.timeDeltas], [LABELLED.startTime, LABELLED.endTime, LABELLED.timeDeltas])
})

test('leaves out functions that ran for others only', () => {
  assert.deepEqual(namesIn(onlyRoute(LABELLED, 'POST /login').profile), ['(root)', 'serve', 'login', 'hash', '(idle)'])
})

test('has a note with its share of the busy time, and the time of unknown routes', () => {
  assert.equal(onlyRoute(LABELLED, 'POST /login').notes[0], 'only POST /login: 0.40 s of 1.00 s of busy time (40.0 %), the rest counts as idle; ' +
    '0.10 s (10.0 %) ran outside requests, or for an unknown one')
})

test('a profile without idle time gets some, and keeps its samples in their order', () => {
  const labelled = withRoutes(craft([[['login'], 10], [['parseReport'], 20], [['login'], 30]]), HANDLERS)
  const { profile } = onlyRoute(labelled, 'POST /login')
  assertCpuProfile(profile)
  assert.deepEqual(profile.samples.map(id => profile.nodes.find(node => node.id === id).callFrame.functionName), ['login', '(idle)', 'login'])
  assert.deepEqual(profile.routes, { names: ['POST /login'], samples: [0, -1, 0] })
})

test('of the lines of a function that served several there remain as many as of its samples', () => {
  const labelled = craft(Array.from({ length: 8 }, () => [['shared'], 10]))
  labelled.nodes[1].positionTicks = [{ line: 3, ticks: 6 }, { line: 9, ticks: 2 }]
  labelled.routes = { names: ['GET /a', 'GET /b', 'GET /c'], samples: [0, 0, 0, 0, 1, 1, 1, 2] }
  const linesOf = route => onlyRoute(labelled, route).profile.nodes[1].positionTicks
  assert.deepEqual(linesOf('GET /a'), [{ line: 3, ticks: 3 }, { line: 9, ticks: 1 }])
  assert.deepEqual(linesOf('GET /c'), [{ line: 3, ticks: 1 }])
})

test('idle time belongs to no route, whatever its label', () => {
  const labelled = craft([[['work'], 10], [['(idle)'], 90]])
  labelled.routes = { names: ['GET /a', 'GET /b'], samples: [0, 1] }
  assert.equal(summarizeTime(buildCallTree(onlyRoute(labelled, 'GET /a').profile)).busy, 10)
  assert.throws(() => onlyRoute(labelled, 'GET /b'), { code: 'ERR_LOOPSCOPE_UNKNOWN_ROUTE' })
})

test('a route that nothing ran for is refused with those that are there, heaviest first', () => {
  assert.throws(() => onlyRoute(LABELLED, 'GET /login'), {
    code: 'ERR_LOOPSCOPE_UNKNOWN_ROUTE',
    message: 'the profile has no samples of the route GET /login; its routes: GET /reports/:id, POST /login'
  })
  assert.throws(() => onlyRoute(craft([[['work'], 10]]), 'GET /'), { message: /its routes: none$/ })
  const handlers = Array.from({ length: 200 }, (_, index) => `handler${index}`)
  const many = withRoutes(craft(handlers.map(name => [[name], 10])), Object.fromEntries(handlers.map(name => [name, `GET /${name}`])))
  assert.throws(() => onlyRoute(many, 'GET /'), { message: /GET \/handler19 and 180 more$/ })
})

test('without a route it is all of it', () => {
  assert.deepEqual(onlyRoute(LABELLED, undefined), { profile: LABELLED, notes: [] })
})

test('changes nothing of what it was given', () => {
  const before = structuredClone(LABELLED)
  onlyRoute(LABELLED, 'POST /login')
  assert.deepEqual(LABELLED, before)
})

for (const { name, profile } of readRecorded()) {
  test(`the routes of ${name} add up to its busy time`, () => {
    const labelled = withRoutes(profile, HANDLERS)
    const root = buildCallTree(labelled)
    for (const { route, micros } of timesByRoute(root)) {
      if (route === null) continue
      const only = onlyRoute(labelled, route).profile
      const tree = buildCallTree(only)
      assert.equal(summarizeTime(tree).busy, micros)
      assert.equal(tree.totalMicros, root.totalMicros)
      for (const handler of Object.keys(HANDLERS)) assert.equal(namesIn(only).includes(handler), HANDLERS[handler] === route)
    }
  })
}
