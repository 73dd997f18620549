'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const childProcess = require('node:child_process')
const crypto = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const zlib = require('node:zlib')
const { findSampledCalls } = require('../../lib/observer/sync-calls/sampled-calls')
const { makeScratch } = require('../store/scratch')
const { windowOf } = require('./crafted')
const { heaviestOf } = require('./recorded')
const { startDetector } = require('./started')

const { pbkdf2Sync: derive } = crypto
const large = Buffer.alloc(5_000_000, 'loopscope ')
const { privateKey } = crypto.generateKeyPairSync('rsa', { modulusLength: 2048 })

function repeat (times, call) {
  for (let number = 0; number < times; number++) call()
}

const hash = () => crypto.pbkdf2Sync('password', 'salt', 40_000, 64, 'sha512')

const FAMILIES = {
  'crypto.pbkdf2Sync': function hashPassword () { return hash() },
  'crypto.scryptSync': function scrypt () { crypto.scryptSync('password', 'salt', 64) },
  'crypto.hkdfSync': function expand () { repeat(500, () => crypto.hkdfSync('sha512', 'key', 'salt', 'info', 64)) },
  'crypto.randomBytes': function makeToken () { crypto.randomBytes(large.length) },
  'crypto.createSign().sign': function signToken () { repeat(10, () => crypto.createSign('sha256').update('x').sign(privateKey)) },
  'crypto.sign': function signOnce () { repeat(10, () => crypto.sign('sha256', Buffer.from('x'), privateKey)) },
  'fs.readFileSync': function readAll () { repeat(10, () => fs.readFileSync(process.execPath)) },
  'fs.statSync': function look () { repeat(10_000, () => fs.statSync(__filename)) },
  'zlib.*Sync': function compress () { zlib.gzipSync(large) },
  'child_process.execSync': function runShell () { childProcess.execSync('sleep 0.05') },
  'child_process.spawnSync': function runProgram () { childProcess.spawnSync('sleep', ['0.05']) }
}

for (const [api, work] of Object.entries(FAMILIES)) {
  test(`${api} is seen in a real profile, with its caller`, () => {
    const call = heaviestOf(work)
    assert.equal(call?.api, api)
    assert.equal(path.basename(call.caller.url), path.basename(__filename))
  })
}

test('require() is seen by the files it reads', t => {
  const file = path.join(makeScratch(t), 'large.js')
  fs.writeFileSync(file, `//${'-'.repeat(20_000_000)}`)
  const call = heaviestOf(function loadLate () {
    delete require.cache[file]
    require(file)
  })
  assert.deepEqual([call?.api, call?.caller.functionName], ['require', 'loadLate'])
})

test('a destructured function is seen, and so is one that an ES module has imported', async t => {
  const file = path.join(makeScratch(t), 'hash.mjs')
  fs.writeFileSync(file, "import { pbkdf2Sync } from 'node:crypto'\nexport function hashImported () { pbkdf2Sync('password', 'salt', 40_000, 64, 'sha512') }")
  const { hashImported } = await import(pathToFileURL(file).href)
  const destructured = heaviestOf(function hashDestructured () { derive('password', 'salt', 40_000, 64, 'sha512') })
  const imported = heaviestOf(hashImported)
  assert.deepEqual([destructured, imported].map(call => [call?.api, call?.caller.functionName]),
    [['crypto.pbkdf2Sync', 'hashDestructured'], ['crypto.pbkdf2Sync', 'hashImported']])
  assert.deepEqual([imported.caller.url, imported.caller.lineNumber], [pathToFileURL(file).href, 1])
})

test('the caller of a call in a dependency is the dependency\'s function', t => {
  const folder = path.join(makeScratch(t), 'node_modules', 'templates')
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, 'index.js'), "exports.render = function render (file) { return require('fs').readFileSync(file) }")
  const { render } = require(folder)
  const call = heaviestOf(function showPage () { repeat(10, () => render(process.execPath)) })
  assert.deepEqual([call?.api, call?.caller.functionName], ['fs.readFileSync', 'render'])
})

test('the exact detector\'s wrappers do not come between', t => {
  startDetector(t)
  const call = heaviestOf(function hashWrapped () { crypto.pbkdf2Sync('password', 'salt', 40_000, 64, 'sha512') })
  assert.deepEqual([call?.api, call?.caller.functionName], ['crypto.pbkdf2Sync', 'hashWrapped'])
})

test('time is split by route where the samples have one, and own code is no call', () => {
  const window = windowOf([['readFileSync', 'page', 30], ['readFileSync', 'page', 20], ['readFileSync', 'page', 10], [null, 'page', 5]])
  const { calls, busyMicros } = findSampledCalls({ ...window, routes: { names: ['GET /a', 'GET /b'], samples: [0, 1, -1, 0] } })
  assert.deepEqual(calls.map(({ api, micros, routes }) => [api, micros, [...routes]]), [['fs.readFileSync', 60, [['GET /a', 30], ['GET /b', 20]]]])
  assert.equal(busyMicros, 65)
})
