'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const { claim, identityOf, isRunning } = require('../../lib/shared/admin/claims')
const { createWorkerGroup } = require('../../lib/shared/admin/worker-group')
const { makeScratch } = require('../store/scratch')

const CLAIM = `
const { claim } = require(${JSON.stringify(require.resolve('../../lib/shared/admin/claims'))})
while (Date.now() < Number(process.argv[2]));
const names = Array.from({ length: 20 }, (_, at) => 'name-' + at)
process.stdout.write(JSON.stringify(names.filter(name => claim(process.argv[1], name) === null)))
process.stdin.resume().on('end', () => process.exit())
`

/** Processes that claim the same twenty names at the same moment; they live until `end`. */
async function race (directory, count) {
  const at = String(Date.now() + 1000)
  const children = Array.from({ length: count }, () => spawn(process.execPath, ['-e', CLAIM, directory, at], { stdio: ['pipe', 'pipe', 'inherit'] }))
  const claimed = await Promise.all(children.map(async child => JSON.parse((await once(child.stdout, 'data'))[0])))
  const end = () => Promise.all(children.map(child => {
    child.stdin.end()
    return once(child, 'exit')
  }))
  return { claimed, end }
}

test('of several that claim a name at the same moment one gets it, also from a dead process', async t => {
  const directory = makeScratch(t)
  for (let round = 0; round < 2; round++) {
    const { claimed, end } = await race(directory, 4)
    assert.equal(claimed.flat().length, 20)
    assert.equal(new Set(claimed.flat()).size, 20)
    await end()
  }
  assert.equal(claim(directory, 'name-0'), null)
  assert.equal(claim(directory, 'name-0'), null, 'it stays ours')
  assert.equal(claim(directory, 'name-0', 'another-one'), identityOf(process.pid))
})

test('a number that was given to another process is not taken for the one before', { skip: process.platform !== 'linux' && 'only Linux tells when a process was started' }, () => {
  assert.ok(isRunning(identityOf(process.pid)))
  assert.ok(!isRunning(`${process.pid}-1`))
})

test('workers have the smallest numbers that are free, one token, and a directory that goes with their parent', t => {
  const controlDir = path.join(makeScratch(t), 'control')
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  const dead = path.join(controlDir, `workers-${pid}-1`)
  fs.mkdirSync(dead, { recursive: true, mode: 0o700 })
  const group = createWorkerGroup({ controlDir })
  assert.deepEqual([group.shared('token', () => 'first'), group.shared('token', () => 'second')], ['first', 'first'])
  assert.equal(fs.existsSync(dead), false)
  assert.deepEqual([group.number(), group.number(), group.isFirst('x'), group.isFirst('x')], [1, 1, true, true])
  const [directory] = fs.readdirSync(controlDir).map(name => path.join(controlDir, name))
  assert.equal(fs.statSync(path.join(directory, 'token')).mode & 0o777, 0o600)
  assert.deepEqual(fs.readdirSync(directory).sort(), ['number-1', 'token', 'x'])
})

test('a directory that cannot be trusted is not used', t => {
  const controlDir = path.join(makeScratch(t), 'control')
  fs.mkdirSync(controlDir)
  fs.chmodSync(controlDir, 0o777)
  const group = createWorkerGroup({ controlDir })
  for (const use of [() => group.shared('token', () => 'x'), () => group.number(), () => group.isFirst('x')]) assert.throws(use, { code: 'ERR_LOOPSCOPE_SOCKET_UNUSABLE' })
})
