'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const { startDetector } = require('./started')

const exists = () => fs.existsSync(__filename)

test('calls of one site are separated by route, with null for those outside requests', t => {
  let route = null
  const detector = startDetector(t, { routeNow: () => route })
  for (const [name, calls] of [['GET /a', 3], [null, 2], ['GET /b', 4]]) {
    route = name
    for (let call = 0; call < calls; call++) exists()
  }
  const [site] = detector.read().sites
  assert.deepEqual(Object.fromEntries(site.routes.map(({ route, calls }) => [route, calls])), { 'GET /a': 3, null: 2, 'GET /b': 4 })
  assert.equal(site.calls, 9)
})

test('routes of one site beyond 20 are _other', t => {
  let number = 0
  const detector = startDetector(t, { routeNow: () => `GET /${number++}` })
  for (let call = 0; call < 60; call++) exists()
  const [{ routes, calls }] = detector.read().sites
  assert.equal(routes.length, 21)
  assert.equal(routes.find(({ route }) => route === '_other').calls, 40)
  assert.equal(calls, 60)
})

test('a route that cannot be found costs the sample and nothing else', t => {
  const faults = []
  const detector = startDetector(t, { routeNow () { throw new Error('no route') }, onFault: error => faults.push(error.message) })
  assert.equal(exists(), true)
  assert.deepEqual(faults, ['no route'])
  assert.deepEqual(detector.read().sites, [])
})
