'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { quietMachine } = require('../runner/quiet-machine')
const { start, FOLDER } = require('./started')

const FILE = 'ten-causes.js'
const SOURCE = fs.readFileSync(path.join(FOLDER, FILE), 'utf8').split('\n')

const CAUSES = [
  { get: '/login/7', route: 'GET /login/:user', cause: 'code', function: 'hashPassword', call: /^pbkdf2Sync$/ },
  { get: '/keys/7', route: 'GET /keys/:user', cause: 'code', function: 'deriveKey', call: /^scryptSync$/ },
  { get: '/images/7', route: 'GET /images/:id', cause: 'code', function: 'resizeImage', call: /^execSync$/ },
  { get: '/catalogue', route: 'GET /catalogue', cause: 'code', function: 'readCatalogue', call: /^readFileSync$/ },
  { get: '/orders', route: 'GET /orders', cause: 'code', function: 'parseOrders', call: /^JSON\.parse$/ },
  { get: '/names', route: 'GET /names', cause: 'code', function: 'searchNames', call: /^RegExp\.(test|exec)$/, mayLackCall: true },
  { get: '/prices', route: 'GET /prices', cause: 'code', function: 'sortPrices', call: /^Array\.sort$/, mayLackCall: true },
  { get: '/export', route: 'GET /export', cause: 'code', function: 'compressExport', call: /^gzipSync$/ },
  { get: '/cache', route: 'GET /cache', cause: 'gc', function: 'refillCache', call: null },
  { get: '/queue', route: 'GET /queue', cause: 'code', function: 'pollQueue', call: null }
]

// A machine that others keep busy makes stalls of its own: the report has to prove it, and the request is made again.
const MAX_TRIES = 5

test('each of ten causes is reported once, with its route, its cause and its culprit', async t => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ten-causes-'))
  const app = await start(t, FILE, { args: [folder] })
  t.after(() => fs.rmSync(folder, { recursive: true }))
  const missed = []
  for (const wanted of CAUSES) {
    const stall = await provoke(t, app, wanted)
    assert.equal(stall.route, wanted.route)
    assert.ok(stall.durationMs >= 100)
    assert.ok(stall.cause === wanted.cause || isStarved(stall), `${wanted.function}: ${JSON.stringify(stall)}`)
    if (!isCulprit(stall.culprit, wanted)) missed.push(stall)
  }
  // Reports are made in order, so none that belongs to an earlier request is still to come after this one.
  await provoke(t, app, CAUSES[0])
  for (const { route } of CAUSES.slice(1)) {
    const reports = app.stalls.filter(stall => stall.route === route && stall.cause !== 'starved')
    assert.ok(reports.length <= 1, JSON.stringify(reports))
  }
  // An expression that blocks, or a collection, can leave a stall of a hundred milliseconds without one telling sample.
  assert.ok(missed.length <= 1, JSON.stringify(missed))
})

/** Makes the request and returns the report of the stall; the last one of several that the machine had a part in. */
async function provoke (t, app, { get, route }) {
  for (let tries = 1; ; tries++) {
    await quietMachine(t)
    const before = app.stalls.length
    const { status } = await app.get(get)
    assert.equal(status, 200)
    const stall = await app.stall(stall => stall.route === route && app.stalls.indexOf(stall) >= before)
    if (stall.cause !== 'starved' || tries === MAX_TRIES) return stall
  }
}

/** Judged by what the kernel counted, not by the cause that was reported. */
function isStarved ({ durationMs, cause, evidence }) {
  return cause === 'starved' && evidence.runQueueMs + (evidence.throttledMs ?? 0) >= durationMs / 2
}

function isCulprit (culprit, wanted) {
  const first = SOURCE.findIndex(line => line.startsWith(`function ${wanted.function} (`)) + 1
  const last = SOURCE.indexOf('}', first) + 1
  return culprit !== null && culprit.function === wanted.function && culprit.file === FILE &&
    culprit.line >= first && culprit.line <= last && isCall(culprit.call, wanted)
}

function isCall (call, { call: wanted, mayLackCall = false }) {
  return call === null ? wanted === null || mayLackCall : wanted !== null && wanted.test(call)
}
