'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const crypto = require('node:crypto')
const zlib = require('node:zlib')
const childProcess = require('node:child_process')
const { adviceOf } = require('../../lib/shared/sync-calls/advice')
const { listTargets, selectTargets, propertyOf } = require('../../lib/probe/sync-calls/targets')

const apis = listTargets().map(({ api }) => api)

test('every function of Node whose name ends with Sync is in the table, once', () => {
  const modules = { fs, crypto, zlib, child_process: childProcess }
  for (const [family, module] of Object.entries(modules)) {
    const names = Object.entries(Object.getOwnPropertyDescriptors(module))
      .filter(([name, { value }]) => name.endsWith('Sync') && typeof value === 'function').map(([name]) => name)
    assert.ok(names.length > 0)
    assert.deepEqual(names.filter(name => !apis.includes(`${family}.${name}`)), [])
  }
  assert.equal(new Set(apis).size, apis.length)
})

test('every row points at a function and has advice with a link to the documentation of Node', () => {
  for (const target of listTargets()) {
    const { holder, name } = propertyOf(target)
    assert.equal(typeof holder[name], 'function', target.api)
    const { why, instead, link } = adviceOf(target.api)
    assert.ok(why.length > 10 && instead.length > 5, target.api)
    assert.match(link, /^https:\/\/nodejs\.org\/api\/[a-z_]+\.html(#[a-z0-9_-]+)?$/, target.api)
  }
})

test('the advice names a function that exists', () => {
  for (const api of apis.filter(api => api.startsWith('fs.') && api.endsWith('Sync'))) {
    for (const [, name] of adviceOf(api).instead.matchAll(/fs\.promises\.(\w+)/g)) assert.equal(typeof fs.promises[name], 'function', `${api}: ${name}`)
  }
  assert.match(adviceOf('fs.statSync').instead, /fs\.promises\.stat/)
  assert.match(adviceOf('crypto.pbkdf2Sync').instead, /crypto\.pbkdf2 /)
  assert.match(adviceOf('Date.now').instead, /clock\.now\(\)/)
  for (const api of ['require', 'import']) assert.match(adviceOf(api).instead, /^load it at start-up/)
})

test('a family stands for what is watched by default; signatures and hashes are watched on request', () => {
  const names = wanted => selectTargets(wanted, 'apis').map(({ api }) => api)
  assert.ok(names(['*']).includes('fs.readFileSync'))
  assert.ok(!names(['*']).includes('crypto.sign'))
  assert.ok(names(['crypto.*']).every(api => api.startsWith('crypto.')))
  assert.deepEqual(names(['crypto.sign', 'Date.now']), ['crypto.sign', 'Date.now'])
})

test('an unknown API is refused with the path of the option', () => {
  assert.throws(() => selectTargets(['fs.readFilSync'], 'options.syncCalls.apis'), {
    code: 'ERR_LOOPSCOPE_INVALID_OPTION',
    message: /options\.syncCalls\.apis must be names of APIs.*got 'fs\.readFilSync'/
  })
})
