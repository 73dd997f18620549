'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { SNAPSHOT_ENGINES } = require('../../lib/probe/heap/snapshot-engines')
const { takeSnapshot } = require('../../lib/probe/heap/take-snapshot')
const { verifySnapshot } = require('../../lib/observer/heap/redaction/verify')
const { makeScratch } = require('../store/scratch')

function isInstalled (name) {
  try {
    require.resolve(name)
    return true
  } catch {
    return false
  }
}

const order = { notAfterMicros: Infinity, expectedPauseMs: 100 }

for (const engine of Object.keys(SNAPSHOT_ENGINES)) {
  const skip = engine !== 'built-in' && !isInstalled(engine) && `the package ${engine} is not installed`
  test(`${engine} fills the private file it is given, and takes no signal`, { skip }, async t => {
    const file = path.join(makeScratch(t), 'one.raw.partial')
    fs.writeFileSync(file, '', { mode: 0o600 })
    const state = () => [process.env.NODE_HEAPDUMP_OPTIONS, process.listenerCount('SIGUSR2')]
    const before = state()
    const { pauseMs, after } = takeSnapshot({ ...order, file, engine })
    assert.equal(fs.statSync(file).mode & 0o777, 0o600)
    assert.ok((await verifySnapshot(file)).nodes > 10_000)
    assert.ok(pauseMs > 0 && after.heapUsedBytes > 0)
    assert.deepEqual(state(), before)
  })
}

test('an engine that is not installed is refused with a message; one that does not exist is no option', { skip: isInstalled('heapdump') && 'heapdump is installed' }, t => {
  const file = path.join(makeScratch(t), 'one.raw.partial')
  fs.writeFileSync(file, '')
  assert.throws(() => takeSnapshot({ ...order, file, engine: 'heapdump' }), { code: 'ERR_LOOPSCOPE_ENGINE_MISSING', message: /npm install heapdump/ })
  assert.throws(() => takeSnapshot({ ...order, file, engine: 'magic' }), { code: 'ERR_LOOPSCOPE_INVALID_OPTION', message: /built-in, heapdump/ })
  assert.equal(fs.statSync(file).size, 0)
})
