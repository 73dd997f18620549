'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const crypto = require('node:crypto')
const { promisify } = require('node:util')
const { syncBuiltinESMExports } = require('node:module')
const { listTargets, propertyOf } = require('../../lib/probe/sync-calls/targets')
const { SyncCallDetector } = require('../../lib/probe/sync-calls/detector')
const { DEFAULTS, startDetector, sitesOf } = require('./started')

const every = listTargets().map(({ api }) => api)

function descriptors () {
  const patched = listTargets().map(target => propertyOf(target)).map(({ holder, name }) => Object.getOwnPropertyDescriptor(holder, name))
  return [...patched, Object.getOwnPropertyDescriptor(Date.prototype, 'constructor')]
}

test('stop() puts every original back with its own descriptor, start() and stop() twice do no harm', () => {
  const before = descriptors()
  const detector = new SyncCallDetector({ ...DEFAULTS, apis: every })
  assert.equal(detector.running, false)
  assert.deepEqual(descriptors(), before)
  detector.start()
  detector.start()
  assert.ok(descriptors().every(({ value }, index) => value !== before[index].value))
  detector.stop()
  detector.stop()
  for (const [index, descriptor] of descriptors().entries()) {
    assert.equal(descriptor.value, before[index].value)
    assert.deepEqual(descriptor, before[index])
  }
})

test('a wrapper of others on top stays, and loopscope\'s below it passes calls on unnoticed', t => {
  const original = fs.existsSync
  t.after(() => {
    fs.existsSync = original
    syncBuiltinESMExports()
  })
  const detector = startDetector(t)
  const watched = fs.existsSync
  let theirCalls = 0
  const theirs = file => {
    theirCalls++
    return watched(file)
  }
  fs.existsSync = theirs
  assert.equal(fs.existsSync(__filename), true)
  detector.stop()
  assert.equal(fs.existsSync, theirs)
  assert.equal(fs.existsSync(__filename), true)
  assert.equal(theirCalls, 2)
  assert.deepEqual(sitesOf(detector.read().sites, 'fs.existsSync', __filename).map(({ calls }) => calls), [1])
})

test('what others put on a watched function is on the original afterwards', t => {
  const detector = startDetector(t)
  const custom = async () => 'promised'
  fs.existsSync[promisify.custom] = custom
  Date.today = () => 'today'
  t.after(() => {
    delete fs.existsSync[promisify.custom]
    delete Date.today
  })
  detector.stop()
  assert.equal(promisify(fs.existsSync), custom)
  assert.equal(Date.today(), 'today')
})

test('named imports of ES modules follow, at start and at stop', async t => {
  const source = 'import { existsSync } from "node:fs"; import fs from "node:fs"; export const isSame = () => existsSync === fs.existsSync; export const exists = () => existsSync("/")'
  const { isSame, exists } = await import(`data:text/javascript,${encodeURIComponent(source)}`)
  const detector = startDetector(t)
  exists()
  assert.equal(isSame(), true)
  assert.equal(detector.read().sites.filter(({ callSite }) => callSite.file.startsWith('data:') && callSite.function === 'exists').length, 1)
  detector.stop()
  exists()
  assert.equal(isSame(), true)
  assert.deepEqual(sitesOf(detector.read().sites, 'fs.existsSync', 'data:').map(({ calls }) => calls), [1])
})

test('the form with a callback is asynchronous: it works, also promisified, and is not counted', async t => {
  const detector = startDetector(t)
  const random = promisify(crypto.randomBytes)
  assert.equal((await random(8)).length, 8)
  assert.ok(await new Promise((resolve, reject) => crypto.randomInt(1, 9, (error, value) => error ? reject(error) : resolve(value))) > 0)
  assert.deepEqual(detector.read().sites.filter(({ api }) => api.startsWith('crypto.')), [])
  crypto.randomBytes(8)
  assert.equal(sitesOf(detector.read().sites, 'crypto.randomBytes', __filename)[0].calls, 1)
})

test('an original taken before start() is not seen, one taken after is', t => {
  const { existsSync } = fs
  const detector = startDetector(t)
  existsSync(__filename)
  assert.deepEqual(detector.read().sites, [])
  const { existsSync: taken } = fs
  taken(__filename)
  assert.equal(detector.read().sites.length, 1)
})
