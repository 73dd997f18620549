'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { mountScratch } = require('../store/scratch')
const { runSnapshotApp } = require('./snapshot-app')

test('a disk that is too small: refused before anything is written, in words', async t => {
  const mount = mountScratch(t, 'size=16m')
  if (mount === null) return
  const { outcomes: [{ code, message }] } = await runSnapshotApp({ dir: path.join(mount, 'captures'), megabytes: 20 })
  assert.equal(code, 'ERR_LOOPSCOPE_SNAPSHOT_REFUSED')
  assert.match(message, /disk: needs \d+ MB, may take 1\d MB/)
  assert.deepEqual(fs.readdirSync(path.join(mount, 'captures')), [])
})

test('a disk that fills up on the way, while V8 writes or while it is redacted: nothing is left, and the process lives', async t => {
  for (const megabytes of [3, 12]) {
    const mount = mountScratch(t, `size=${megabytes}m`)
    if (mount === null) return
    const { outcomes, signal } = await runSnapshotApp({ dir: path.join(mount, 'captures'), megabytes: 10, orders: [{ force: true }] })
    assert.equal(signal, null)
    assert.match(outcomes[0].code, /^ERR_LOOPSCOPE_(INVALID_SNAPSHOT|STORE_FULL)$/, outcomes[0].message)
    assert.deepEqual(fs.readdirSync(path.join(mount, 'captures')), [])
  }
})
