'use strict'

// Calls that never end: what is noted of each lives as long as the library's own message about it, and no longer.

const test = require('node:test')
const assert = require('node:assert/strict')
const { tracingChannel } = require('node:diagnostics_channel')
const v8 = require('node:v8')
const vm = require('node:vm')
const { RouteContext } = require('../../lib/probe/http/contexts/route-context')
const { createRequestContext } = require('../../lib/probe/http/contexts/one-request')
const { DependencyCalls } = require('../../lib/probe/waits/dependency-calls')

v8.setFlagsFromString('--expose-gc')
const collectGarbage = vm.runInNewContext('gc')

const COMMAND = tracingChannel('ioredis:command')
const COUNT = 1_000_000
const BATCH = 50_000
const turn = () => new Promise(resolve => setImmediate(resolve))

// V8 may need more than one collection, with turns of the event loop between them, to free promises and what hangs on them.
async function heapUsed () {
  let used = Infinity
  for (let last = Infinity; ; last = used) {
    await turn()
    collectGarbage()
    used = Math.min(last, process.memoryUsage().heapUsed)
    if (last - used < 1e5) return used
  }
}

test('a million commands that never end, of a hundred thousand requests, leave nothing', async t => {
  const context = new RouteContext()
  context.start()
  const calls = new DependencyCalls({ context, onFull: () => calls.take() })
  calls.start()
  t.after(() => { calls.stop(); context.stop() })
  const make = async count => {
    for (let made = 0; made < count; made += 10) {
      context.run(createRequestContext({ method: 'GET', url: '/', headers: {} }, made + 1, made + 1), () => {
        for (let call = 0; call < 10; call++) COMMAND.tracePromise(() => new Promise(() => {}), { command: `${call}`, serverAddress: 'db', serverPort: 1 })
      })
      if (made % BATCH === 0) await turn()
    }
  }
  await make(BATCH)
  const before = await heapUsed()
  await make(COUNT)
  const kept = await heapUsed() - before
  assert.ok(kept < 1e6, `${kept} bytes`)
})
