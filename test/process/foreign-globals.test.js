'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { AsyncLocalStorage } = require('node:async_hooks')
const path = require('node:path')
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
