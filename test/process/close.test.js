'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { drive } = require('./child')

/** Run in the application: what the process holds. */
function holdings () {
  const events = process.eventNames().map(name => `${String(name)} ${process.listenerCount(name)}`).sort()
  // The counts of requests are the process's, and outlive a handle.
  const globals = Reflect.ownKeys(globalThis).map(String).filter(name => /loopscope(?!\.request-durations)/.test(name))
  const resources = process.getActiveResourcesInfo().filter(name => name === 'Timeout' || name === 'MessagePort' || name === 'Worker')
  return { events, globals, resources, workers: process.report.getReport().workers.length }
}

test('close() gives back threads, timers, listeners and globals, as often as it is started', async t => {
  const app = await drive(t)
  await app.run(({ handle }) => handle.close())
  const before = await app.run(holdings)
  assert.deepEqual({ ...before, events: [] }, { events: [], globals: [], resources: [], workers: 0 })
  for (let times = 0; times < 3; times++) {
    const during = await app.run(async ({ handle, ready }) => {
      handle.start()
      await ready()
      return process.report.getReport().workers.length
    })
    assert.equal(during, 1)
    await app.run(({ handle }) => handle.close())
    assert.deepEqual(await app.run(holdings), before)
  }
})

test('start() and close() twice are once', async t => {
  const app = await drive(t)
  const state = await app.run(async ({ handle }) => {
    const isSame = handle.start().start() === handle
    await Promise.all([handle.close(), handle.close()])
    await handle.close()
    return { isSame, running: handle.running }
  })
  assert.deepEqual(state, { isSame: true, running: false })
  assert.equal((await app.run(holdings)).workers, 0)
})

test('close() before the observer is ready ends it, too', async t => {
  const app = await drive(t)
  await app.run(async ({ handle, createDiagnostics }) => {
    await handle.close()
    await createDiagnostics().start().close()
  })
  assert.equal((await app.run(holdings)).workers, 0)
  assert.deepEqual(app.lines().flatMap(({ code }) => code ?? []), [])
})
