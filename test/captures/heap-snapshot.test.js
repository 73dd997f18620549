'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const { filesIn } = require('../store/scratch')
const { run } = require('./running')

const SECRET = ['hunter2', 'correct-horse-battery-staple'].join('/')

test('a snapshot is a private, complete file in the store, unchanged unless redaction is requested', async t => {
  const { handle, logged } = await run(t, { recorder: false })
  const artifact = await handle.capture('heap-snapshot')
  assert.deepEqual([artifact.kind, artifact.format, artifact.trigger], ['heap-snapshot', 'heapsnapshot', 'api'])
  assert.equal(fs.statSync(artifact.path).mode & 0o777, 0o600)
  const text = await artifact.text()
  assert.equal(text.length, artifact.bytes)
  const { snapshot, nodes } = JSON.parse(text)
  assert.equal(nodes.length, snapshot.node_count * snapshot.meta.node_fields.length)
  assert.ok(text.includes(SECRET))
  const { pid, canaryIds, pauseMs, redaction } = JSON.parse(fs.readFileSync(`${artifact.path}.json`, 'utf8'))
  assert.deepEqual([pid, canaryIds.length, redaction.mode], [process.pid, 8, 'off'])
  assert.ok(pauseMs > 0 && artifact.to - artifact.from === pauseMs)
  assert.deepEqual((await handle.stalls()).filter(({ durationMs }) => durationMs >= pauseMs), [], 'the pause is no stall of the application')
  assert.deepEqual(logged.filter(({ code }) => code === 'LOOPSCOPE_WARN_INTERNAL'), [])
})

test('a redacted one has the same objects and none of the values', async t => {
  const { handle } = await run(t, { recorder: false })
  const kept = { password: SECRET }
  const artifact = await handle.capture('heap-snapshot', { redact: 'values', force: true })
  const text = await artifact.text()
  assert.ok(!text.includes(SECRET) && text.includes('password'))
  assert.equal(kept.password, SECRET)
})

test('another one soon after is refused, unless it is forced', async t => {
  const { handle } = await run(t, { recorder: false })
  await handle.capture('heap-snapshot', { force: true })
  await assert.rejects(handle.capture('heap-snapshot'), { code: 'ERR_LOOPSCOPE_SNAPSHOT_COOLDOWN' })
  const both = await Promise.allSettled([handle.capture('heap-snapshot', { force: true }), handle.capture('heap-snapshot', { force: true })])
  assert.deepEqual(both.map(({ status, reason }) => reason?.code ?? status), ['fulfilled', 'ERR_LOOPSCOPE_SNAPSHOT_BUSY'])
})

test('one that would stop the process for too long is refused with the figures and what is cheaper', async t => {
  const { handle, dir } = await run(t, { recorder: false, heap: { maxPauseMs: 1 } })
  await assert.rejects(handle.capture('heap-snapshot'), error => error.code === 'ERR_LOOPSCOPE_SNAPSHOT_REFUSED' && /pause: .* at most 0\.0 s are allowed.*heap-profile/.test(error.message))
  assert.deepEqual(filesIn(dir), [])
})

test('an engine that is not installed is a clear error', async t => {
  const { handle } = await run(t, { recorder: false, heap: { engine: 'heapdump' } })
  const isInstalled = (() => { try { return Boolean(require.resolve('heapdump')) } catch { return false } })()
  if (isInstalled) return t.skip('heapdump is installed')
  await assert.rejects(handle.capture('heap-snapshot', { force: true }), { code: 'ERR_LOOPSCOPE_ENGINE_MISSING', message: /npm install heapdump/ })
})
