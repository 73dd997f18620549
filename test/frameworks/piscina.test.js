'use strict'

// A real pool of threads: what is said of it unasked, and what it does when it is asked.

const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const path = require('node:path')
const test = require('node:test')
const { promisify } = require('node:util')
const { skipWithout } = require('./installed')
const { makeApplication, start, PRELOAD } = require('./environment')

const skip = skipWithout('piscina')
const COMMAND = path.resolve(__dirname, '../../bin/loopscope.js')

const TASK = `
const { pbkdf2Sync } = require('node:crypto')
module.exports = function hashInPool () { pbkdf2Sync('text', 'salt', 50_000, 32, 'sha512') }
`
const MAIN = `
const { Piscina } = require('piscina')
const pool = new Piscina({ filename: require.resolve('./task.js'), minThreads: 2, maxThreads: 2 })
for (let lane = 0; lane < 2; lane++) (async () => { for (;;) await pool.run({}) })()
console.log(JSON.stringify({ msg: 'listening', pid: process.pid }))
`

test('piscina: that its threads are at work is said, what they do, and a profile with threads has their functions', { skip }, async t => {
  const folder = makeApplication(t, { files: { 'main.js': MAIN, 'task.js': TASK }, fixtures: [], packages: ['piscina'] })
  const app = start(t, ['main.js'], { cwd: folder, env: { NODE_OPTIONS: PRELOAD, TMPDIR: folder, LOOPSCOPE_THREADS: 'on' } })
  await app.until(/^listening$/)
  const ask = async (...args) => (await promisify(execFile)(process.execPath, [COMMAND, ...args], { env: { ...process.env, TMPDIR: folder } })).stdout
  const pid = String(app.child.pid)
  let said
  do said = JSON.parse(await ask('why', pid, '--json').catch(() => '{"findings":[]}'))
  while (!said.findings.some(({ id }) => id === 'busy-threads'))
  assert.ok(said.figures.workers > 0.03, JSON.stringify(said.figures))
  let watched
  do watched = JSON.parse(await ask('threads', pid, '--json'))
  while (watched.threads.filter(({ top }) => top?.function === 'hashInPool').length < 2)
  assert.ok(watched.threads.every(({ busyMs, observedMs }) => busyMs > observedMs * 0.3), JSON.stringify(watched.threads))
  const text = await ask('profile', pid, '--threads', '--seconds', '1')
  assert.match(text, / of 3 threads in /)
  assert.match(text, /hashInPool/)
  assert.equal(text.match(/worker \d+ .*\(worker\.js\)/g).length >= 2, true, text)
})
