'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const { createDiagnostics } = require('../..')
const { start } = require('./started')

const QUIET = { info () {}, warn () {}, error () {} }

function block (ms) {
  const until = performance.now() + ms
  while (performance.now() < until);
}

/** Diagnostics in this very process, closed after the test. */
async function observed (t, options) {
  const handle = createDiagnostics({ signals: false, logger: QUIET, ...options })
  const keepAlive = setInterval(() => {}, 1000)
  t.after(() => {
    clearInterval(keepAlive)
    return handle.close()
  })
  handle.start()
  while (handle.delay().count === 0) await new Promise(resolve => setTimeout(resolve, 10)) // the heartbeat measures from its first tick on
  return handle
}

test('a stall is one line of JSON with the fields of pino, one sentence, and the report', async t => {
  const app = await start(t, 'block.js')
  await app.get('/spin/300')
  const line = await app.line(({ stall }) => stall?.route === 'GET /spin/:ms')
  assert.deepEqual([line.stream, line.level, line.name, line.pid], ['stdout', 40, 'loopscope', app.pid])
  const causes = process.platform === 'linux' ? 'code|starved' : 'code|unknown' // of a busy machine too
  assert.match(line.msg, new RegExp(`^event loop stalled \\d+ ms in GET /spin/:ms: spin \\(block\\.js:\\d+\\), cause (${causes})( \\([^()]+\\))?$`))
  assert.deepEqual(Object.keys(line.stall), ['id', 'at', 'durationMs', 'startingUp', 'cause', 'route', 'trace', 'culprit', 'stack', 'evidence'])
})

test('a stall is counted in the registry by its cause', async t => {
  const app = await start(t, 'block.js')
  await app.get('/spin/300')
  const { cause } = await app.stall(({ route }) => route === 'GET /spin/:ms')
  const { text } = await app.get('/metrics')
  const total = Number(new RegExp(`^loopscope_stalls_total\\{cause="${cause}"\\} (\\d+)$`, 'm').exec(text)?.[1])
  assert.equal(total, app.stalls.filter(stall => stall.cause === cause).length)
})

test('a stall of just before close() is still reported', async t => {
  const handle = await observed(t)
  const stalls = []
  handle.on('stall', stall => stalls.push(stall))
  const { count } = handle.delay()
  block(600) // much longer than what our own start takes of it on a busy machine
  while (handle.delay().count === count) await new Promise(resolve => setImmediate(resolve)) // the late tick
  await handle.close()
  assert.ok(stalls.some(({ durationMs }) => durationMs >= 200))
})

test('a logger that throws does no harm: listeners get the stall, and it is kept', async t => {
  const throwing = () => { throw new Error('the disk is full') }
  const handle = await observed(t, { logger: { info: throwing, warn: throwing, error: throwing } })
  const blocking = setInterval(block, 50, 200) // more than once: what our own start takes is no stall
  const [stall] = await once(handle, 'stall')
  clearInterval(blocking)
  assert.deepEqual((await handle.stalls()).find(({ id }) => id === stall.id), stall)
})

test('a listener that throws does no harm: the next stall is emitted, too', async t => {
  const handle = await observed(t)
  const stalls = []
  handle.on('stall', stall => {
    stalls.push(stall)
    throw new Error('theirs')
  })
  while (stalls.length < 2) {
    block(200)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  assert.ok(stalls[1].at > stalls[0].at)
})
