'use strict'

// Jobs are sampled like requests, and d.waits() has the answer in the process.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const { setTimeout: sleep } = require('node:timers/promises')
const { createDiagnostics } = require('../../lib/index')

const silent = { level: 'silent', warn () {}, error () {}, info () {}, debug () {} }

/** A promise of the application's own. */
function delay (ms) {
  return new Promise(resolve => setTimeout(resolve, ms))
}

async function resize () {
  await delay(40) // the longer one
  await sleep(10)
}

const lineOf = text => fs.readFileSync(__filename, 'utf8').split('\n').findIndex(line => line.includes(text)) + 1

test('jobs are sampled on demand, as the route `job <name>`', async t => {
  const d = createDiagnostics({ logger: silent, controlSocket: false, waits: false }).start()
  t.after(() => d.close())
  assert.deepEqual((await d.waits()).routes, [], 'off: nothing by itself')
  const over = new AbortController()
  const working = (async () => {
    while (!over.signal.aborted) {
      await d.job('resize', resize)
      await d.job('other', () => delay(5))
    }
  })()
  const { seconds, seen, sampled, routes, isStale } = await d.waits({ seconds: 1.5, route: 'job resize' })
  over.abort()
  await working
  const diagnosis = JSON.stringify(routes, null, 1)
  assert.deepEqual([seconds, isStale, routes.map(({ route }) => route)], [1.5, false, ['job resize']])
  assert.ok(seen >= sampled && sampled > 4, `${sampled} of ${seen}`)
  const [{ lines: [longest, second], waitingMs, totalMs, unseenMs, serial: [inRow] }] = routes
  assert.deepEqual([longest.function, longest.line, second.line], ['resize', lineOf('// the longer one'), lineOf('await sleep(10)')], diagnosis)
  assert.ok(longest.share > second.share * 2, diagnosis)
  assert.ok(waitingMs > totalMs * 0.5 && unseenMs < waitingMs * 0.1, diagnosis)
  assert.deepEqual([inRow.function, inRow.awaits], ['resize', 2], diagnosis)
})

test('a few are sampled by themselves', async t => {
  const d = createDiagnostics({ logger: silent, controlSocket: false }).start()
  t.after(() => d.close())
  for (;;) {
    for (let count = 0; count < 10; count++) await d.job('resize', resize)
    const { seconds, seen, routes: [route] } = await d.waits()
    if (route === undefined) continue
    assert.deepEqual([seconds, seen, route.route, route.lines[0].function], [null, null, 'job resize', 'resize'])
    break
  }
})

test('options that do not exist or make no sense are refused', async t => {
  const d = createDiagnostics({ logger: silent, controlSocket: false })
  await assert.rejects(d.waits(), { code: 'ERR_LOOPSCOPE_NOT_RUNNING' })
  d.start()
  t.after(() => d.close())
  await assert.rejects(d.waits({ last: 5 }), { code: 'ERR_LOOPSCOPE_UNKNOWN_OPTION' })
  for (const options of [{ seconds: 0 }, { seconds: 301 }, { seconds: '5' }, { route: '' }]) {
    await assert.rejects(d.waits(options), { code: 'ERR_LOOPSCOPE_INVALID_OPTION' }, JSON.stringify(options))
  }
})
