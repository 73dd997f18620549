'use strict'

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { adoptSnapshot } = require('../../lib/observer/heap/snapshot/orphaned-snapshots')
const { createStore } = require('../../lib/observer/store/store')
const { makeScratch } = require('../store/scratch')

/** Leaks until V8 writes a snapshot and gives up; the secret is made at run time, so that it is not in the source. */
const LEAK = `
  const secret = [...'terces-detnalp'].reverse().join('')
  const kept = globalThis.kept = []
  for (let at = 0; ; at++) kept.push({ at: at + 0.5, text: Buffer.from(secret + ' ' + at).toString() })`

test('what V8 wrote near its limit is kept redacted, and the original goes', async t => {
  const dir = makeScratch(t)
  spawnSync(process.execPath, ['--max-old-space-size=20', '--heapsnapshot-near-heap-limit=1', `--diagnostic-dir=${dir}`, '-e', LEAK])
  const [name] = fs.readdirSync(dir).filter(file => file.endsWith('.heapsnapshot'))
  const file = path.join(dir, name)
  assert.equal(fs.readFileSync(file).includes('planted-secret'), true)

  const store = createStore({ dir: path.join(dir, 'captures'), retention: { minFreeBytes: 0 } })
  const { path: kept, metadata } = await adoptSnapshot(file, { store, appName: 'shop' })
  assert.equal(fs.existsSync(file), false)
  assert.equal(fs.readFileSync(kept).includes('planted-secret'), false)
  assert.equal(fs.statSync(kept).mode & 0o777, 0o600)
  assert.deepEqual(store.metadata(path.basename(kept)), metadata)
  assert.ok(metadata.nodes > 100_000)
})

test('a file that was cut off stays where it is, and nothing is kept', async t => {
  const dir = makeScratch(t)
  const file = path.join(dir, 'Heap.heapsnapshot')
  fs.writeFileSync(file, '{"snapshot":')
  const store = createStore({ dir: path.join(dir, 'captures'), retention: { minFreeBytes: 0 } })
  await assert.rejects(adoptSnapshot(file, { store, appName: 'shop' }), { code: 'ERR_LOOPSCOPE_INVALID_SNAPSHOT' })
  assert.equal(fs.existsSync(file), true)
  assert.equal(fs.existsSync(store.dir), false)
})
