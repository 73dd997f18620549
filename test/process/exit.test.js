'use strict'

const assert = require('node:assert/strict')
const path = require('node:path')
const test = require('node:test')
const { start, fixtures } = require('./child')

const END_MS = 60_000 // a process that hangs would never end
const TRIALS = 5
const OWN_ENDS = ['process.reallyExit()', 'SIGTERM to itself', 'SIGINT to itself']

/** Again, where a busy machine did not run the observer before the process had waited for it long enough. */
async function end (t, how, when, execArgv = []) {
  for (let trial = 1; ; trial++) {
    const ending = await endOnce(t, how, when, execArgv)
    if (trial === TRIALS || ending.stderr !== 'Waiting for the debugger to disconnect...\n') return ending
  }
}

async function endOnce (t, how, when, execArgv) {
  const { child, ended, until } = start(t, [...execArgv, path.join(fixtures, 'ends.js'), how, when])
  if (how.startsWith('SIGTERM') && !OWN_ENDS.includes(how)) {
    await until(/^ending$/)
    child.kill('SIGTERM')
  }
  const { code, signal, stderr } = await ended
  return { code, signal, stderr }
}

/** All at once: each waits for its own observer most of its time. */
async function assertAlike (t, how, moments, execArgv) {
  const [bare, ...endings] = await Promise.all(['bare', ...moments].map(when => end(t, how, when, execArgv)))
  assert.deepEqual(endings, moments.map(() => bare), `${moments}`)
}

const WAYS = ['natural end', 'process.exit()', ...OWN_ENDS, 'an uncaught exception', 'an unhandled rejection',
  'SIGTERM', 'SIGTERM with a handler that exits', 'SIGTERM with a handler that closes']

for (const how of WAYS) {
  test(`${how} ends a process as it does without diagnostics`, { timeout: END_MS }, async t => {
    await assertAlike(t, how, ['starting', 'ready', ...(how === 'natural end' ? [] : ['capturing'])])
  })
}

for (const how of OWN_ENDS) {
  test(`${how} ends a process whose inspector port is open as it does without diagnostics`, { timeout: END_MS }, async t => {
    const inspect = ['--inspect=127.0.0.1:0', '--inspect-publish-uid=http'] // whose address is printed otherwise
    await assertAlike(t, how, ['connected', 'ready'], inspect)
  })
}

test('a capture that somebody awaits keeps the process alive until it is written, and no longer', { timeout: END_MS }, async t => {
  const { dir, ended } = start(t, [path.join(fixtures, 'captures-last.js')])
  const { code, stdout, stderr } = await ended
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  assert.ok(stdout.includes(dir))
})

test('a process can exit at any moment while the observer is starting', { timeout: END_MS }, async t => {
  const moments = ['1 ms', '20 ms', '40 ms', '60 ms', '80 ms', '120 ms', '200 ms']
  const endings = await Promise.all(moments.map(when => end(t, 'process.exit()', when)))
  assert.deepEqual(endings, moments.map(() => ({ code: 3, signal: null, stderr: '' })))
})
