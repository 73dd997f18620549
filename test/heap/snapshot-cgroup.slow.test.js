'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { makeScratch } = require('../store/scratch')
const { createMemoryGroup, runSnapshotApp } = require('./snapshot-app')

const MEGABYTES = 512

const group = createMemoryGroup(MEGABYTES)
const skip = 'reason' in group && group.reason

test.after(() => group.remove?.())

for (const { megabytes, shape, isTaken } of [
  { megabytes: 20, shape: 'objects', isTaken: true },
  { megabytes: 60, shape: 'map', isTaken: false },
  { megabytes: 150, shape: 'closures', isTaken: false },
  { megabytes: 300, shape: 'strings', isTaken: false }
]) {
  test(`in a group of ${MEGABYTES} MiB, ${megabytes} MB of heap (${shape}) is ${isTaken ? 'captured' : 'refused, with the numbers'}, and nobody is killed`, { skip }, async t => {
    const dir = path.join(makeScratch(t), 'captures')
    const { outcomes, signal, stderr } = await runSnapshotApp({ dir, megabytes, shape }, { group: group.folder, maxHeapMegabytes: 450 })
    assert.equal(signal, null, stderr)
    const [{ taken, code, message }] = outcomes
    if (isTaken) return assert.deepEqual(fs.readdirSync(dir).sort(), [taken.name, `${taken.name}.json`], message)
    assert.equal(code, 'ERR_LOOPSCOPE_SNAPSHOT_REFUSED')
    assert.match(message, /memory: needs \d+ MB, may take \d+ MB \(80 % of what is free by memory\.\w+ of \/sys\/fs\/cgroup\/\S+, limit 537 MB\)/)
    assert.deepEqual(fs.readdirSync(dir), [])
  })
}
