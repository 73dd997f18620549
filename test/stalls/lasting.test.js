'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { start } = require('./started')

const MAX_TRIES = 5

/** Blocks the loop until the observer has reported it on standard error, and returns both reports. */
async function reportsOf (t, url) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'lasting-'))
  t.after(() => fs.rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'end')
  const app = await start(t, 'block.js')
  const answer = app.get(`${url}?file=${file}`)
  const lasting = await app.line(({ stream, stall }) => stream === 'stderr' && stall?.lasting)
  // Only now may the handler return, so whatever was read before was written while it blocked.
  assert.deepEqual(app.stalls.filter(({ route }) => route === `GET ${url}`), [])
  fs.writeFileSync(file, '')
  await answer
  const over = await app.stall(({ route, durationMs }) => route === `GET ${url}` && durationMs >= lasting.stall.durationMs)
  await app.get('/spin/150')
  await app.stall(({ route }) => route === 'GET /spin/:ms')
  assert.equal(app.stalls.filter(({ route, durationMs }) => route === `GET ${url}` && durationMs >= lasting.stall.durationMs).length, 1)
  return { app, lasting, over }
}

/** The same, again where V8 got no processor to answer with within the quarter of a second that it has. */
async function answeredReportsOf (t, url) {
  for (let tries = 1; ; tries++) {
    const reports = await reportsOf(t, url)
    if (reports.lasting.stall.culprit !== null || tries === MAX_TRIES) return reports
  }
}

test('a stall in JavaScript is reported while it lasts, with route and culprit, and again when it is over', async t => {
  const { app, lasting, over } = await answeredReportsOf(t, '/spin-until')
  const { level, name, pid, hostname, msg, stall } = lasting
  assert.deepEqual({ level, name, pid, hostname }, { level: 40, name: 'loopscope', pid: app.pid, hostname: os.hostname() })
  assert.equal(stall.route, 'GET /spin-until')
  assert.ok(['spin', 'spinUntilExists'].includes(stall.culprit.function), JSON.stringify(stall.culprit))
  assert.match(msg, /^the event loop has been stuck for \d+ ms, in spin\w* \(block\.js:\d+\) for GET \/spin-until$/)
  assert.ok(over.durationMs >= stall.durationMs)
  assert.equal(over.route, stall.route)
  assert.equal(over.culprit.file, stall.culprit.file)
})

test('a stall in a native call is reported while it lasts, and its culprit when it is over', async t => {
  const { lasting, over } = await reportsOf(t, '/wait-until')
  assert.match(lasting.msg, /^the event loop has been stuck for \d+ ms, in a native call, or the process is not being run/)
  assert.deepEqual([lasting.stall.route, lasting.stall.culprit], [null, null])
  assert.deepEqual([over.culprit.function, over.culprit.call], ['waitUntilExists', 'execFileSync'])
})
