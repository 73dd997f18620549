'use strict'

// Requests that wait for a real PostgreSQL, behind a proxy that delays it: through pg, knex and drizzle, with a pool that is too small and one that is
// large enough. How long a connection takes follows from the number of requests, of connections, and the delay.

const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const test = require('node:test')
const assert = require('node:assert/strict')
const { setTimeout: sleep } = require('node:timers/promises')
const { getControl } = require('../admin/running')
const { start } = require('../process/child')
const { skipWithout, startPostgres, startProxy } = require('./servers')
const { makeShortScratch } = require('../store/scratch')

const REGISTER = path.join(__dirname, '..', '..', 'register.js')
const APP = path.join(__dirname, 'postgres-app.js')
const DELAY_MS = 25
const CLIENTS = 8
const LOAD_MS = 9000
const SMALL = 2

const SKIP = skipWithout('pg', ['postgres', 'initdb'], 'postgresql') || skipWithout('knex') || skipWithout('drizzle-orm')
const LINES = fs.readFileSync(APP, 'utf8').split('\n')

/**
 * @param {import('node:test').TestContext} t
 * @param {string} library
 * @param {number} poolSize
 */
async function findingsOf (t, library, poolSize) {
  const proxy = await startProxy(t, await startPostgres(t))
  proxy.delayMs = DELAY_MS
  const folder = makeShortScratch(t)
  const app = start(t, ['--require', REGISTER, APP], { env: { TMPDIR: folder, PG_PORT: String(proxy.port), POOL_SIZE: String(poolSize), LIBRARY: library } })
  const { port } = await app.until(/^listening$/)
  const socketPath = path.join(folder, `loopscope-${process.geteuid?.()}`, 'control', `${app.child.pid}.sock`)
  const agent = new http.Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const get = () => new Promise((resolve, reject) => http.get({ host: '127.0.0.1', port, agent }, response => response.resume().on('end', resolve)).on('error', reject))
  let answered = 0
  const endMs = performance.now() + LOAD_MS
  const load = Promise.all(Array.from({ length: CLIENTS }, async () => {
    while (performance.now() < endMs) {
      await get()
      answered++
    }
  }))
  while (!fs.existsSync(socketPath)) await sleep(50)
  await load
  const meanMs = LOAD_MS * CLIENTS / answered
  const { text } = await getControl(socketPath, '/findings')
  const { text: waits } = await getControl(socketPath, '/waits')
  const found = JSON.parse(text)
  return { meanMs, findings: found.findings, find: id => found.findings.find(finding => finding.id === id), waits: JSON.parse(waits), diagnosis: `${text}\n${waits}` }
}

const CASES = [
  { library: 'pg', function: 'withPg', text: 'await pool.query(', name: /^The connection pool of pg-pool is too small/, awaited: 'pg-pool' },
  { library: 'connect', function: 'withConnect', text: 'await pool.connect()', name: /^The connection pool of pg-pool is too small/, awaited: 'pg-pool' },
  { library: 'knex', function: 'withKnex', text: 'await knex.select(', name: /^The connection pool of knex is too small/, awaited: 'tarn' },
  { library: 'drizzle', function: 'withDrizzle', text: 'await db.execute(', name: /^The connection pool of drizzle-orm is too small/, awaited: 'pg-pool' }
]

for (const { library, function: name, text, name: title, awaited } of CASES) {
  test(`${library}: a pool of ${SMALL} for ${CLIENTS} requests at a time is too small, with line, connections and the time to get one`, { skip: SKIP }, async t => {
    const { meanMs, find, waits, diagnosis } = await findingsOf(t, library, SMALL)
    const found = find('small-pool')
    assert.ok(found, diagnosis)
    assert.match(found.title, title)
    assert.deepEqual([found.where.function, found.where.line, found.where.route], [name, LINES.findIndex(line => line.includes(text)) + 1, 'GET /'], diagnosis)
    assert.equal(found.evidence.connections, SMALL, diagnosis)
    // Two of eight requests have a connection at any time: of a request's time three quarters are spent in line. Seconds without load make it less.
    const truth = meanMs * (CLIENTS - SMALL) / CLIENTS
    assert.ok(found.evidence.acquireMs > truth * 0.5 && found.evidence.acquireMs < truth * 1.25, `${found.evidence.acquireMs} of ${truth}: ${diagnosis}`)
    assert.ok(waits.routes[0].lines.some(line => line.function === name && line.awaited === awaited), diagnosis)
    assert.equal(find('slow-elsewhere'), undefined)
  })
}

for (const library of ['pg', 'knex']) {
  test(`${library}: a pool that is large enough is not reported, however slow the database is`, { skip: SKIP }, async t => {
    const { find, diagnosis } = await findingsOf(t, library, CLIENTS + 2)
    for (const id of ['small-pool', 'no-keep-alive', 'lock-wait', 'timer-wait', 'slow-dns']) assert.equal(find(id), undefined, diagnosis)
  })
}

test('pg without a pool: a new connection for each request', { skip: SKIP || (Number(process.versions.node.split('.')[0]) < 22 && 'Node.js 20 does not report these connections') }, async t => {
  let found
  let diagnosis
  // Where opening them takes much of a slow machine's time, that is reported instead; on a busy one the slowest requests may not show it.
  for (let attempt = 0; attempt < 3 && found === undefined; attempt++) {
    const answer = await findingsOf(t, 'unpooled', 0)
    found = answer.find('no-keep-alive') ?? answer.find('socket-connects')
    diagnosis = answer.diagnosis
  }
  assert.ok(found, diagnosis)
  if (found.id === 'socket-connects') return
  assert.match(found.title, /each request opens a new one/)
  assert.equal(found.where?.function ?? 'withClient', 'withClient', diagnosis)
})
