'use strict'

const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const path = require('node:path')
const test = require('node:test')
const { promisify } = require('node:util')
const { Worker } = require('node:worker_threads')

// Node.js 20 cannot read the heap of a worker: it is memory that V8 does not report.
const OF_WORKER = typeof Worker.prototype.getHeapStatistics === 'function' ? 'worker' : 'native'

const GROWING = { map: 'heap', listeners: 'heap', closures: 'heap', timers: 'heap', promises: 'heap', uploads: 'buffers', zlib: 'native', worker: OF_WORKER }
const HEALTHY = ['lru', 'warm-up', 'burst', 'static-cache', 'pool', 'healthy-worker']

/** @param {string} mode */
async function growingIn (mode) {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', path.join(__dirname, 'growing-app.js'), mode])
  return JSON.parse(stdout).growing
}

test.describe('what grows in twenty minutes', { concurrency: 3 }, () => {
  for (const [mode, owner] of Object.entries(GROWING)) {
    test(`${mode}: the owner is ${owner}`, async () => {
      const [first] = await growingIn(mode)
      assert.deepEqual([first?.owner, first?.name], [owner, owner === 'worker' ? 'resize' : null])
      assert.ok(first.bytesPerMinute > 3e5 && first.bytes > first.grownBytes / 2, JSON.stringify(first))
    })
  }

  for (const mode of HEALTHY) {
    test(`${mode}: nothing grows`, async () => {
      assert.deepEqual(await growingIn(mode), [])
    })
  }
})
