'use strict'

const assert = require('node:assert/strict')
const path = require('node:path')
const test = require('node:test')
const { start, fixtures } = require('./child')
const { isTestRunner } = require('../../lib/base/system/runtime')

const register = require.resolve('../../lib/register')
const preload = { NODE_OPTIONS: `--require ${JSON.stringify(register)}`, LOOPSCOPE_SYNC_CALLS: 'true', NODE_TEST_CONTEXT: undefined }

test('a preloaded program that stalls finds only its own lines on standard output', async t => {
  const source = `
    process.stdout.write('mine\\n')
    setInterval(() => { const end = Date.now() + 400; while (Date.now() < end); }, 500)`
  const { child, ended, until } = start(t, ['-e', source], { env: preload })
  await until(/^event loop stalled/)
  child.kill('SIGKILL')
  const { stdout, stderr } = await ended
  assert.equal(stdout, 'mine\n')
  assert.match(stderr, /event loop stalled/)
})

test('node --test runs with the preload as it does without', async t => {
  const file = path.join(fixtures, 'preloaded', 'tested.js')
  const { code, stdout, stderr } = await start(t, ['--test', file], { env: preload }).ended
  assert.equal(code, 0, stdout + stderr)
  assert.doesNotMatch(stdout + stderr, /LOOPSCOPE_WARN|Assertion failed/)
})

test('the runner of node --test is distinguished from the processes that run the tests', () => {
  assert.equal(isTestRunner(['--require', 'x', '--test']), true)
  assert.equal(isTestRunner(['--test-concurrency=1']), false)
  assert.equal(isTestRunner(['--test', '--test-isolation=none']), false)
  assert.equal(isTestRunner(['--test', '--experimental-test-isolation', 'none']), false)
})
