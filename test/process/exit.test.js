'use strict'

const assert = require('node:assert/strict')
const path = require('node:path')
const test = require('node:test')
const { start, fixtures } = require('./child')

const END_MS = 60_000 // a process that hangs would never end
const TRIALS = 5

/** Again, where a busy machine did not run the observer before the process had waited for it long enough. */
async function end (t, how, when) {
  for (let trial = 1; ; trial++) {
    const ending = await endOnce(t, how, when)
    if (trial === TRIALS || ending.stderr !== 'Waiting for the debugger to disconnect...\n') return ending
  }
}

async function endOnce (t, how, when) {
  const { child, ended, until } = start(t, [path.join(fixtures, 'ends.js'), how, when])
  if (how.startsWith('SIGTERM')) {
    await until(/^ending$/)
    child.kill('SIGTERM')
  }
  const { code, signal, stderr } = await ended
  return { code, signal, stderr }
}

const WAYS = ['natural end', 'process.exit()', 'an uncaught exception', 'an unhandled rejection',
  'SIGTERM', 'SIGTERM with a handler that exits', 'SIGTERM with a handler that closes']

for (const how of WAYS) {
  test(`${how} ends a process as it does without diagnostics`, { timeout: END_MS }, async t => {
    const bare = await end(t, how, 'bare')
    for (const when of ['starting', 'ready', ...(how === 'natural end' ? [] : ['capturing'])]) {
      assert.deepEqual(await end(t, how, when), bare, when)
    }
  })
}

test('a capture that somebody awaits keeps the process alive until it is written, and no longer', { timeout: END_MS }, async t => {
  const { dir, ended } = start(t, [path.join(fixtures, 'captures-last.js')])
  const { code, stdout, stderr } = await ended
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  assert.ok(stdout.includes(dir))
})

test('a process can exit at any moment while the observer is starting', { timeout: END_MS }, async t => {
  for (const when of ['1 ms', '20 ms', '40 ms', '60 ms', '80 ms', '120 ms', '200 ms']) {
    assert.deepEqual(await end(t, 'process.exit()', when), { code: 3, signal: null, stderr: '' }, when)
  }
})
