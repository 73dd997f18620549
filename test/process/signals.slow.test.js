'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const test = require('node:test')
const { filesIn } = require('../store/scratch')
const { drive } = require('./child')

const skip = process.platform === 'win32' ? 'Windows has no SIGUSR2' : false

test('SIGUSR2 writes one capture of the past and the next ten seconds; another one meanwhile is counted and skipped', { skip }, async t => {
  const app = await drive(t)
  const startedAt = Date.now()
  await app.run(({ ready }) => ready())
  fs.rmSync(app.dir, { recursive: true })
  app.child.kill('SIGUSR2')
  await app.until(/^SIGUSR2: capturing cpu/)
  app.child.kill('SIGUSR2')
  await app.until(/^SIGUSR2: a cpu capture is under way already/)
  const { path, shortened } = await app.until(/^SIGUSR2: cpu capture written to/)
  assert.deepEqual(filesIn(app.dir), [path])
  assert.ok(shortened.gotSeconds > 10 && shortened.gotSeconds <= (Date.now() - startedAt) / 1e3 + 1)
  const metrics = await app.run(({ handle }) => handle.registry.metrics())
  assert.match(metrics, /loopscope_captures_total\{kind="cpu",trigger="signal",outcome="ok"\} 1\n/)
  assert.match(metrics, /loopscope_captures_total\{kind="cpu",trigger="signal",outcome="skipped"\} 1\n/)
  assert.equal(app.said(/^SIGUSR2: capturing/).length, 1)
})
