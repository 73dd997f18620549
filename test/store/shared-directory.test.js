'use strict'

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const { setImmediate } = require('node:timers/promises')
const test = require('node:test')
const { createStore } = require('../../lib/observer/store/store')
const { makeScratch } = require('./scratch')

const WRITERS = 2
const ARTIFACTS_EACH = 60
const MAX_COUNT = 5

/** Writes artifacts as fast as it can and prints what it evicted. */
const WRITER = `
  const { createStore } = require(${JSON.stringify(require.resolve('../../lib/observer/store/store'))})
  const store = createStore({ dir: process.argv[1], retention: { maxCount: ${MAX_COUNT}, minFreeBytes: 0 } })
  store.prepare()
  for (let index = 0; index < ${ARTIFACTS_EACH}; index++) {
    const bytes = Buffer.from(JSON.stringify(Array(2000).fill(process.pid)))
    store.write({ kind: 'cpu', extension: 'cpuprofile', at: Date.now(), appName: 'shop', bytes })
  }
  process.stdout.write(JSON.stringify(store.evictions()))`

function startWriter (t, dir) {
  const writer = spawn(process.execPath, ['-e', WRITER, dir])
  t.after(() => writer.kill('SIGKILL'))
  let output = ''
  let faults = ''
  writer.stdout.on('data', text => { output += text })
  writer.stderr.on('data', text => { faults += text })
  return once(writer, 'close').then(([code]) => ({ code, faults, output }))
}

test('two processes write, evict and list in one directory without harm', async t => {
  const store = createStore({ dir: makeScratch(t) })
  const results = []
  for (let index = 0; index < WRITERS; index++) startWriter(t, store.dir).then(result => results.push(result))
  while (results.length < WRITERS) {
    store.list()
    await setImmediate()
  }
  for (const { code, faults } of results) assert.deepEqual({ code, faults }, { code: 0, faults: '' })

  const left = store.list()
  assert.ok(left.length >= 1 && left.length <= MAX_COUNT, `${left.length} artifacts are left`)
  for (const { path } of left) assert.equal(JSON.parse(fs.readFileSync(path, 'utf8')).length, 2000)
  assert.equal(fs.readdirSync(store.dir).length, left.length, 'no partial files')
  const evicted = results.reduce((sum, { output }) => sum + JSON.parse(output).count, 0)
  assert.equal(evicted + left.length, WRITERS * ARTIFACTS_EACH, 'each eviction is counted once')
})
