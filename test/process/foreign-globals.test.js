'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { AsyncLocalStorage } = require('node:async_hooks')
const path = require('node:path')
const { guarded, setFaultListener } = require('../../lib/base/guard')
const timers = require('../../lib/base/timers')
const { fixtures, start } = require('./child')

test('where timers and performance are not Node.js\'s, stalls are found, and all of it stops', async t => {
  const app = start(t, [path.join(fixtures, 'foreign-globals.js')])
  const { durationMs, left } = await app.until(/^closed$/)
  assert.ok(durationMs >= 100)
  assert.equal(left, 0, 'none of them was used')
  const { code, stderr } = await app.ended
  assert.deepEqual([code, stderr.includes('Error')], [0, false])
})

test('where promises, addresses and signals are of classes of others, everything works, and no rejection is left unhandled', async t => {
  const app = start(t, [path.join(fixtures, 'foreign-classes.js')])
  const { statuses, bytes, stalls } = await app.until(/^closed$/)
  assert.deepEqual(statuses, [200, 200, 200, 200])
  assert.ok(bytes > 0)
  assert.ok(stalls >= 1)
  const { code, stderr } = await app.ended
  assert.deepEqual([code, stderr], [0, ''])
})

test('what has failed within a promise is a fault of loopscope, also where the application has other promises', async t => {
  const faults = []
  setFaultListener(error => { faults.push(error.message) })
  const { Promise: native } = globalThis
  t.after(() => {
    globalThis.Promise = native
    setFaultListener(() => {})
  })
  globalThis.Promise = class {}
  guarded(async () => { throw new Error('inside') })()
  await null
  assert.deepEqual(faults, ['inside'])
})

test('a process with frozen intrinsics logs its stalls', async t => {
  const app = start(t, ['--frozen-intrinsics', '--require', path.join(__dirname, '../../register'), path.join(fixtures, 'frozen.js')], { env: { LOOPSCOPE_START_AT_ONCE: 'true' } })
  const { level, pid, name, stall } = await app.until(/^event loop stalled/)
  assert.deepEqual([level, pid, name], [40, app.child.pid, 'loopscope'])
  assert.ok(stall.durationMs >= 100)
})

for (const name of ['setTimeout', 'setInterval', 'setImmediate']) {
  test(`${name}() of loopscope's own does not take the context of a request along`, async () => {
    const requests = new AsyncLocalStorage()
    const seen = await requests.run('request', () => new Promise(resolve => {
      const timer = timers[name](() => {
        timers.clearInterval(timer)
        resolve(requests.getStore())
      }, 1)
    }))
    assert.equal(seen, undefined)
  })
}

test('what a request occasions is done without its context', () => {
  const requests = new AsyncLocalStorage()
  assert.equal(requests.run('request', () => timers.outsideRequest(() => requests.getStore())), undefined)
})
