'use strict'

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')
const { readMemoryRoom } = require('../../lib/base/system/memory-room')
const { makeScratch } = require('../store/scratch')
const { createMemoryGroup } = require('./snapshot-app')

const CHILD = `
  const { readMemoryRoom } = require(${JSON.stringify(require.resolve('../../lib/base/system/memory-room'))})
  const before = readMemoryRoom()
  const kept = Buffer.alloc(60e6, 1)
  console.log(JSON.stringify({ before, after: readMemoryRoom(), kept: kept.length }))`

const group = createMemoryGroup(300)
const skip = 'reason' in group && group.reason
test.after(() => group.remove?.())

/**
 * @param {string} folder
 * @param {string} [first]  for the shell, in the group
 */
function readIn (folder, first = 'true') {
  const { stdout, stderr, status } = spawnSync('sh', ['-c', `echo $$ > "$0/cgroup.procs" && ${first} && exec "$@"`, folder, process.execPath, '-e', CHILD], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

test('never more than the machine has, with the source of the limit', () => {
  const { limitBytes, freeBytes, basis } = readMemoryRoom()
  assert.ok(limitBytes > 0 && limitBytes <= os.totalmem())
  assert.ok(freeBytes > 0 && freeBytes <= limitBytes)
  assert.match(basis, /the memory of the machine|memory\.|constrainedMemory/)
})

test('reads the limit of its group and what is left of it', { skip }, () => {
  const { before, after } = readIn(group.folder)
  assert.equal(before.limitBytes, 300 * 1024 ** 2)
  assert.match(before.basis, new RegExp(`memory\\.(max|limit_in_bytes) of ${group.folder}$`))
  assert.ok(before.freeBytes < 314e6 && before.freeBytes > 200e6, JSON.stringify(before))
  assert.ok(before.freeBytes - after.freeBytes > 50e6, JSON.stringify({ before, after }))
})

test('the files that the kernel caches do not count: it gives them back', { skip }, t => {
  const dir = makeScratch(t)
  const { before } = readIn(group.folder, `head -c 150000000 /dev/zero > ${dir}/cached`)
  assert.ok(before.freeBytes > 200e6, JSON.stringify(before))
})

test('the limit of a group above counts as well', { skip }, t => {
  const inner = path.join(group.folder, 'inner')
  fs.mkdirSync(inner)
  t.after(() => fs.rmdirSync(inner))
  const { before } = readIn(inner)
  assert.equal(before.limitBytes, 300 * 1024 ** 2)
  assert.ok(before.basis.endsWith(` of ${group.folder}`), before.basis)
})
