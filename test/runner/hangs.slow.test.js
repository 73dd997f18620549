'use strict'

// Nothing that a test file starts outlives it, whatever becomes of the file.

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const { setTimeout: sleep } = require('node:timers/promises')
const { RUN, runTests, writeTests } = require('./ran')

// A process and a child of it, with the pipes of the test file. Each writes a file with its number.
const STARTS = `
  const fs = require('node:fs')
  const RUNS = "require('node:fs').writeFileSync(process.pid + '.pid', " + JSON.stringify(__filename) + "); setInterval(() => {}, 1000);"
  const BOTH = RUNS + "require('node:child_process').spawn(process.execPath, ['-e', " + JSON.stringify(RUNS) + "], { stdio: 'inherit' })"
  function start () {
    require('node:child_process').spawn(process.execPath, ['-e', BOTH], { stdio: 'inherit' }).unref()
    while (fs.readdirSync('.').filter(name => name.endsWith('.pid') && fs.readFileSync(name, 'utf8') === __filename).length < 2);
  }`

const FILES = {
  'waits.test.js': `${STARTS} require('node:test')('waits', () => { start(); setInterval(() => {}, 1000); return new Promise(() => {}) })`,
  'blocks.test.js': `${STARTS} require('node:test')('blocks', () => { process.on('SIGTERM', () => {}); start(); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) })`,
  'leaves.test.js': `${STARTS} require('node:test')('leaves', () => start())`,
  'fine.test.js': "require('node:test')('fine', () => {})"
}

/** The numbers of what STARTS started. */
const startedIn = folder => fs.readdirSync(folder).filter(name => name.endsWith('.pid')).map(name => Number.parseInt(name))

function isRunning (pid) {
  try {
    // One that has ended may still wait for its parent.
    return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

const noSessions = process.platform !== 'linux' && 'what a file started is found by its session'

test('a file that hangs is ended with all that it started, as is what a file leaves running, and both have failed', { skip: noSessions }, t => {
  const { folder, status, stdout, totals } = runTests(t, FILES, '--limit', '15')
  assert.equal(startedIn(folder).length, 6)
  assert.deepEqual({ status, running: startedIn(folder).filter(isRunning) }, { status: 1, running: [] }, stdout)
  assert.match(totals, /^2 passed, 3 failed, 0 skipped, /)
  for (const name of ['waits', 'blocks', 'leaves']) assert.match(stdout, new RegExp(`^failed: ${name}\\.test\\.js$`, 'm'))
  assert.match(stdout, /^FAILED leaves\.test\.js left a process running: .*node.* -e /m)
})

test('a run that is interrupted ends what runs', { skip: noSessions }, async t => {
  const { folder, env } = writeTests(t, { 'waits.test.js': FILES['waits.test.js'] })
  const run = spawn(process.execPath, [RUN, 'waits.test.js'], { cwd: folder, env, stdio: 'ignore' })
  t.after(() => run.kill())
  while (startedIn(folder).length < 2) await sleep(20)
  run.kill('SIGINT')
  assert.deepEqual(await once(run, 'exit'), [130, null])
  while (startedIn(folder).some(isRunning)) await sleep(20)
})
