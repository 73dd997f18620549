'use strict'

// The runner of this project's tests: what failed is run again alone, and only what fails alone has failed.

const test = require('node:test')
const assert = require('node:assert/strict')
const { testFiles } = require('./files')
const ran = require('./ran')

const FILES = {
  'fine.test.js': "const test = require('node:test'); test('fine', () => {}); test('left out', { skip: 'no peer' }, () => {}); test('with no peer', { skip: 'a peer' }, () => {})",
  'suite.test.js': "const { describe, test } = require('node:test'); describe('left out', { skip: 'no peer' }, () => { test('fine', () => {}) })",
  'second.test.js': `
    const fs = require('node:fs')
    const seen = __filename + '.seen'
    require('node:test')('fails at first', () => {
      if (fs.existsSync(seen)) return
      fs.writeFileSync(seen, '')
      throw new Error('busy')
    })`,
  'never.test.js': "require('node:test')('never passes', () => { throw new Error('broken') })",
  'dies.test.js': "require('node:test')('ends the process', () => process.exit(3))"
}

function runTests (t, names, ...args) {
  return ran.runTests(t, Object.fromEntries(names.map(name => [name, FILES[name]])), ...args)
}

test('a file that fails once and passes alone is flaky, and the run has passed', t => {
  const { status, stdout, totals } = runTests(t, ['fine.test.js', 'second.test.js'], '--again', '2')
  assert.deepEqual({ status, totals }, { status: 0, totals: '2 passed, 0 failed, 2 skipped, 1 flaky' })
  assert.match(stdout, /^flaky: second\.test\.js passed in run 2 only$/m)
})

test('without --again it has failed', t => {
  const { status, totals } = runTests(t, ['fine.test.js', 'second.test.js'])
  assert.deepEqual({ status, totals }, { status: 1, totals: '1 passed, 1 failed, 2 skipped, 0 flaky' })
})

test('what fails alone as well has failed, and a file that ends its process with it', t => {
  const { status, stdout, totals } = runTests(t, ['never.test.js', 'dies.test.js', 'fine.test.js'], '--again', '2')
  assert.deepEqual({ status, totals }, { status: 1, totals: '1 passed, 2 failed, 2 skipped, 0 flaky' })
  assert.match(stdout, /again, alone \(2 of 2\): never\.test\.js/)
  assert.match(stdout, /^failed: dies\.test\.js$/m)
})

test('a test that is skipped for want of what is required has failed', t => {
  const { status, stdout, totals } = runTests(t, ['fine.test.js'], '--required', 'no peer')
  assert.deepEqual({ status, totals }, { status: 1, totals: '1 passed, 1 failed, 2 skipped, 0 flaky' })
  assert.match(stdout, /skipped, and must not be: left out: no peer/)
})

test('so has a suite', t => {
  const { status, totals } = runTests(t, ['suite.test.js'], '--required', 'no peer')
  assert.deepEqual({ status, totals }, { status: 1, totals: '0 passed, 1 failed, 1 skipped, 0 flaky' })
})

test('every test is either one that everybody runs or a slow one', () => {
  const both = [...testFiles(), ...testFiles({ slow: true })]
  assert.equal(new Set(both).size, both.length)
  assert.ok(both.includes(__filename))
  assert.deepEqual(testFiles({ wants: area => area === 'interop' }), [])
  assert.notEqual(testFiles({ slow: true, wants: area => area === 'interop' }).length, 0)
})
