'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { filesIn, makeScratch, mountScratch } = require('../store/scratch')
const { run, ready } = require('./running')

/** The capture is refused by the code; the process was told at the start; then a store that is mended is used. */
async function refuses (t, dir, code, mend) {
  const app = await run(t, { dir, retention: { minFreeBytes: 0 } })
  await assert.rejects(app.handle.capture('cpu', { seconds: 0.2 }), { code })
  const warned = app.logged.flatMap(line => line.code ?? []) // a stall, on a busy machine, has none
  assert.deepEqual(warned, code === 'ERR_LOOPSCOPE_STORE_FULL' ? [] : ['LOOPSCOPE_WARN_STORE'])
  mend()
  const artifact = await app.handle.capture('cpu', { seconds: 0.2 })
  assert.deepEqual(filesIn(dir), [artifact.path])
}

test('a directory that cannot be made refuses captures until it can', async t => {
  const file = path.join(makeScratch(t), 'file')
  fs.writeFileSync(file, '')
  await refuses(t, path.join(file, 'captures'), 'ERR_LOOPSCOPE_STORE_UNWRITABLE', () => fs.unlinkSync(file))
})

test('a symbolic link is not followed', async t => {
  const scratch = makeScratch(t)
  const [target, link] = [path.join(scratch, 'target'), path.join(scratch, 'link')]
  fs.mkdirSync(target)
  fs.symlinkSync(target, link)
  await refuses(t, link, 'ERR_LOOPSCOPE_STORE_UNSAFE', () => fs.unlinkSync(link))
  assert.deepEqual(fs.readdirSync(target), [])
})

test('a full disk refuses captures, leaves nothing half-written, and is used again when there is room', async t => {
  const dir = mountScratch(t, 'size=64k')
  if (dir === null) return
  const ballast = path.join(dir, 'ballast')
  fs.writeFileSync(ballast, Buffer.alloc(64 * 1024))
  await refuses(t, dir, 'ERR_LOOPSCOPE_STORE_FULL', () => {
    assert.deepEqual(filesIn(dir), [ballast])
    fs.unlinkSync(ballast)
  })
})

test('a directory that is removed while the process runs is made again', async t => {
  const app = await run(t)
  await ready(app)
  fs.rmSync(app.dir, { recursive: true })
  const artifact = await app.handle.capture('cpu', { seconds: 0.1 })
  assert.equal(fs.existsSync(artifact.path), true)
})
