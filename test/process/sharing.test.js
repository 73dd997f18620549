'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { makeScratch } = require('../store/scratch')
const { drive } = require('./child')

const root = path.resolve(__dirname, '../..')

/** Another installation of the package, with the same dependencies. */
function copyPackage (t) {
  const copy = path.join(makeScratch(t), 'loopscope')
  fs.cpSync(path.join(root, 'lib'), path.join(copy, 'lib'), { recursive: true })
  fs.copyFileSync(path.join(root, 'package.json'), path.join(copy, 'package.json'))
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'), 'dir')
  return copy
}

/** Run in the application: a second handle of the package at `place`, then one stall. Both are told, one logs. */
async function stallWithTwo ({ handle, ready, require }, place, options) {
  const second = require(place).createDiagnostics(options).start()
  globalThis.second = second
  await ready()
  const heard = Promise.all([handle, second].map(each => new Promise(resolve => each.once('stall', resolve))))
  const until = performance.now() + 300
  while (performance.now() < until);
  const [one, other] = await heard
  const captured = await Promise.all([handle, second].map(each => each.capture('cpu', { seconds: 0.5 })))
  return { isSame: one === other, durationMs: one.durationMs, paths: captured.map(artifact => artifact.path) }
}

for (const what of ['applications', 'copies of the package']) {
  test(`two ${what} in a process share one observer, and each hears and captures`, async t => {
    const app = await drive(t)
    const { isSame, durationMs, paths } = await app.run(stallWithTwo, what === 'applications' ? root : copyPackage(t))
    assert.ok(isSame && durationMs >= 100)
    assert.equal(new Set(paths).size, 2)
    const observers = await app.run(() => process.report.getReport().workers.length)
    assert.equal(observers, 1)
    const logged = app.lines().filter(({ stall }) => stall?.durationMs === durationMs)
    assert.equal(logged.length, 1)
  })
}

test('closing one leaves the other at work, with its stalls, captures and signal', async t => {
  const app = await drive(t)
  await app.run(stallWithTwo, root)
  const result = await app.run(async ({ handle }) => {
    await handle.close()
    const stalled = new Promise(resolve => globalThis.second.once('stall', resolve))
    const until = performance.now() + 300
    while (performance.now() < until);
    const { durationMs } = await stalled
    const { path } = await globalThis.second.capture('cpu', { seconds: 0.5 })
    return { durationMs, path, handlers: process.listenerCount('SIGUSR2') }
  })
  assert.ok(result.durationMs >= 100)
  assert.ok(fs.existsSync(result.path))
  assert.equal(result.handlers, 1)
})

test('other settings of a second one are warned of once; the first ones stay', async t => {
  const app = await drive(t)
  await app.run(async ({ createDiagnostics }) => {
    const others = [1, 2].map(() => createDiagnostics({ stallThresholdMs: 500, recorder: { hz: 50 } }).start())
    await Promise.all(others.map(other => other.close()))
  })
  await app.until(/already observed/)
  const warnings = app.lines().filter(({ code }) => code === 'LOOPSCOPE_WARN_SHARED_OPTIONS')
  assert.equal(warnings.length, 1)
  assert.match(warnings[0].msg, /stallThresholdMs 100/)
})
