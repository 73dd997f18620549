'use strict'

const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { promisify } = require('node:util')
const { Worker } = require('node:worker_threads')
const { keepingSiteOf } = require('../../lib/observer/findings/growing')

const APP = path.join(__dirname, 'growing-app.js')

// Node.js 20 cannot read the heap of a worker: it is memory that V8 does not report.
const CAN_READ_WORKERS = typeof Worker.prototype.getHeapStatistics === 'function'

/** By mode: who owns what grows, and what the finding calls it. */
const GROWING = {
  map: ['heap', 'Map'],
  listeners: ['heap', 'listeners'],
  closures: ['heap', 'Array'],
  timers: ['heap', 'timers'],
  once: ['heap', 'listeners'],
  abort: ['heap', 'listeners'],
  interval: ['heap', 'timers'],
  interceptors: ['heap', 'listeners'],
  set: ['heap', 'Set'],
  race: ['heap', 'promises'],
  promises: ['heap', 'Array'],
  sessions: ['heap', 'Map'],
  queue: ['heap', 'Array'],
  uploads: ['buffers', 'Buffer'],
  chunks: ['buffers', 'received data'],
  files: ['buffers', 'fs'],
  vectors: ['buffers', 'Map'],
  zlib: ['native', 'zlib streams'],
  sockets: ['heap', 'sockets'],
  als: ['heap', 'timers'],
  'object-key': ['heap', 'Map'],
  slices: ['heap', 'Array'],
  events: ['heap', 'Set'],
  child: ['heap', 'Map'],
  worker: [CAN_READ_WORKERS ? 'worker' : 'native', null]
}
const HEALTHY = ['lru', 'expiring', 'scoped', 'warm-up', 'burst', 'static-cache', 'pool', 'compiled', 'healthy-worker']

/** Of GROWING, those that strangers' services had. */
const FAST = ['map', 'set', 'queue', 'closures', 'listeners', 'interceptors', 'interval', 'als', 'uploads', 'worker']

/** @param {string} mode  @param {string[]} [flags] */
async function growingIn (mode, flags = ['--expose-gc']) {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, APP, mode])
  return JSON.parse(stdout)
}

/** @param {string} mode  @param {any} found  what the application has printed */
function assertNamed (mode, { growing: [first], sites }) {
  const [owner, holder] = GROWING[mode]
  assert.deepEqual([first?.owner, first?.name], [owner, owner === 'worker' ? 'resize' : null], JSON.stringify(sites))
  assert.ok(first.bytesPerMinute > 1e5 && first.bytes > first.grownBytes / 2, JSON.stringify(first))
  if (mode === 'worker' && !CAN_READ_WORKERS) return
  const found = keepingSiteOf({ memory: { sites } }, first)
  assert.ok(found !== null, JSON.stringify(sites))
  assert.equal(found.evidence.holder, holder)
  if (mode !== 'worker') assert.deepEqual([path.basename(found.where.file), found.where.line], ['growing-app.js', ...linesOf(mode)], JSON.stringify(sites.sites.slice(0, 3)))
}

/** The lines of the application that are marked with the name of a leak. @param {string} mode */
function linesOf (mode) {
  return fs.readFileSync(APP, 'utf8').split('\n').flatMap((text, index) => text.endsWith(`// ${mode}`) ? [index + 1] : [])
}

test.describe('what grows in twenty minutes', { concurrency: 3 }, () => {
  for (const [mode, [owner]] of Object.entries(GROWING)) {
    test(`${mode}: the owner is ${owner}, and its line is named`, async () => assertNamed(mode, await growingIn(mode)))
  }

  test('workers that never end: all together grow', { skip: !CAN_READ_WORKERS && 'Node.js 20 cannot read their heaps' }, async () => {
    const { growing: [first], sites } = await growingIn('workers')
    assert.deepEqual([first?.owner, first?.name], ['worker', null])
    const found = keepingSiteOf({ memory: { sites } }, first)
    assert.deepEqual([found?.evidence.holder, found?.where.line], ['workers', ...linesOf('workers')], JSON.stringify(sites))
  })

  for (const mode of HEALTHY) {
    test(`${mode}: nothing grows`, async () => {
      assert.deepEqual((await growingIn(mode)).growing, [])
    })
  }
})

test.describe('what grows in three minutes, collected when V8 wants to', { concurrency: 3 }, () => {
  for (const mode of FAST) {
    const skip = mode === 'worker' && !CAN_READ_WORKERS && 'Node.js 20 cannot read its heap'
    test(`${mode}: it is named`, { skip }, async () => assertNamed(mode, await growingIn(mode, [])))
  }
  for (const mode of ['lru', 'expiring', 'scoped', 'pool', 'healthy-worker']) {
    test(`${mode}: nothing grows`, async () => {
      assert.deepEqual((await growingIn(mode, [])).growing, [])
    })
  }
})
