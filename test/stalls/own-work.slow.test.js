'use strict'

// What we have the main thread do is not the application's fault; what the application does meanwhile is.

/* global handle, ownMs, ready, spin, stallOf */ // of the helpers, in the application

const test = require('node:test')
const assert = require('node:assert/strict')
const { drive } = require('../process/child')
const { quietMachine } = require('../runner/quiet-machine')

const options = { stallThresholdMs: 60, heap: { maxPauseMs: 600_000 } }

/** Runs in the application: for how long it has stood still for us. */
const HELPERS = `
  const ownMs = async () => Number(/component="own-work"\\} ([\\d.]+)/.exec(await handle.registry.getSingleMetricAsString('loopscope_overhead_seconds_total'))[1]) * 1e3
  function spin (ms) { for (const untilMs = performance.now() + ms; performance.now() < untilMs;) Math.sqrt(untilMs) }
  const stallOf = async (name, after = 0) => {
    for (let looks = 1; ; looks++) {
      if (looks % 100 === 0) spin(500) // the samples of the one before saw nothing of it
      const stall = (await handle.stalls()).find(({ id, culprit }) => id > after && culprit?.function === name)
      if (stall) return stall
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }`

/** Sent as text. */
const withHelpers = work => `async ({ handle, ready }, ...values) => { ${HELPERS}; return (${work})(...values) }`

for (const [kind, options_] of [['heap-histogram', {}], ['heap-profile', {}], ['heap-snapshot', { redact: 'off', force: true }]]) {
  test(`a ${kind} is no stall of the application, and one right after it still is`, async t => {
    const app = await drive(t, { options })
    await app.run(withHelpers(async () => { await ready() }))
    const isQuiet = () => app.run(withHelpers(async (kind, options) => {
      globalThis.kept ??= []
      let before
      let count = 30_000
      // Long enough to count as a stall several times over, on any machine.
      do {
        for (let id = 0; id < count; id++) globalThis.kept.push({ id, of: [id] })
        count *= 2
        await new Promise(resolve => setTimeout(resolve, 200))
        before = { ms: await ownMs(), id: (await handle.stalls())[0]?.id ?? 0 }
        await handle.capture(kind, options)
      } while (await ownMs() - before.ms < 200)
      const pauseMs = await ownMs() - before.ms
      spin(500)
      const { id: last } = await stallOf('spin', before.id)
      return (await handle.stalls()).every(({ id, durationMs }) => id <= before.id || id >= last || durationMs < pauseMs / 2)
    }), kind, options_)
    // A machine that is too busy to run it may stall it for as long as we do.
    let quiet = false
    for (let attempt = 0; attempt < 10 && !quiet; attempt++) {
      await quietMachine(t)
      quiet = await isQuiet()
    }
    assert.equal(quiet, true)
  })
}

test('a stall that a histogram interrupts is reported, without it', async t => {
  const app = await drive(t, { options })
  const { stall, inStallMs } = await app.run(withHelpers(async () => {
    await ready()
    globalThis.kept = Array.from({ length: 60_000 }, (_, id) => ({ id, of: [id] }))
    const before = await ownMs()
    const taken = handle.capture('heap-histogram')
    await new Promise(resolve => setImmediate(resolve))
    function spinOn (ms) { for (const untilMs = performance.now() + ms; performance.now() < untilMs;) Math.sqrt(untilMs) }
    const from = performance.now()
    while (performance.now() < from + 2000) spinOn(50)
    await taken
    return { stall: await stallOf('spinOn'), inStallMs: await ownMs() - before }
  }))
  assert.ok(['code', 'starved'].includes(stall.cause), JSON.stringify(stall))
  assert.ok(inStallMs > 0)
})
