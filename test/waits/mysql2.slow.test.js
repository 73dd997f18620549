'use strict'

// mysql2 against a real MariaDB, behind a proxy that delays it: what was counted is what the server counted.

const test = require('node:test')
const assert = require('node:assert/strict')
const { serve } = require('./serving')
const { load, skipWithout, startMariadb, startProxy } = require('./servers')

const DELAY_MS = 40
const SKIP = skipWithout('mysql2', ['mariadbd', 'mariadb-install-db'], 'mariadb-server')

/** @param {import('node:test').TestContext} t */
async function open (t, options = {}) {
  const port = await startMariadb(t)
  const proxy = await startProxy(t, port)
  const direct = await load('mysql2/promise').createConnection({ port, host: '127.0.0.1', user: 'root' })
  t.after(() => direct.end())
  return {
    proxy,
    target: `127.0.0.1:${proxy.port}`,
    settings: { port: proxy.port, host: '127.0.0.1', user: 'root', ...options },
    /** What the server has counted of a statement. */
    async countedByServer (statement) {
      const [[{ Value }]] = await direct.query(`SHOW GLOBAL STATUS LIKE 'Com_${statement}'`)
      return Number(Value)
    }
  }
}

test('statements by their first word, each that the server saw, for as long as it took; errors', { skip: SKIP }, async t => {
  const { proxy, target, settings, countedByServer } = await open(t)
  const app = await serve(t, null)
  const pool = load('mysql2/promise').createPool({ ...settings, connectionLimit: 1 })
  t.after(() => pool.end())
  await pool.query('SET @a = 1')
  const before = await countedByServer('select')
  proxy.delayMs = DELAY_MS
  app.handler = async () => {
    for (let id = 0; id < 3; id++) await pool.query("select 'secret', ?", [id])
    await pool.execute('/* secret */ SELECT 1 + ?', [1])
    await pool.query('UPDATE secret.secret SET a = 1').catch(() => {})
  }
  await app.ask()
  const waited = await app.waits()
  const { [`mysql SELECT ${target}`]: select, [`mysql UPDATE ${target}`]: update } = waited
  assert.deepEqual([select.calls, select.errors, update.calls, update.errors], [4, 0, 1, 1])
  const counts = await app.counted()
  assert.equal(counts[`mysql SELECT ${target}`].calls, await countedByServer('select') - before)
  assert.ok(counts[`mysql SELECT ${target}`].ms >= 4 * DELAY_MS * 0.95, String(counts[`mysql SELECT ${target}`].ms))
  assert.equal(counts[`mysql connect ${target}`].calls, 1)
  assert.equal(counts[`mysql UPDATE ${target}`].errors, 1)
  assert.ok(!JSON.stringify([waited, counts]).includes('secret'))
})

test('the time until a pool gives a connection is apart, and what waited goes on in its own request', { skip: SKIP }, async t => {
  const { proxy, target, settings } = await open(t)
  const app = await serve(t, null)
  const pool = load('mysql2').createPool({ ...settings, connectionLimit: 1 })
  t.after(() => new Promise(resolve => pool.end(resolve)))
  await new Promise(resolve => pool.query('SET @a = 1', resolve))
  proxy.delayMs = DELAY_MS
  app.handler = () => new Promise((resolve, reject) => {
    pool.query('SELECT 1', error => error ? reject(error) : pool.query('SHOW STATUS LIKE "Com_select"', resolve))
  })
  await Promise.all([app.ask(), app.ask(), app.ask()])
  await app.waits(3)
  // Each of the three made its own calls, whoever gave it the connection.
  for (const { waits: own } of await app.d.slowRequests()) {
    const calls = Object.fromEntries(own.map(({ operation, calls }) => [operation, calls]))
    assert.deepEqual([calls.SELECT, calls.SHOW, calls.acquire], [1, 1, 2], JSON.stringify(own))
  }
  const { [`mysql pool ${target}`]: acquire, [`mysql SELECT ${target}`]: select } = await app.counted()
  assert.deepEqual([acquire.calls, select.calls], [7, 3])
  assert.ok(acquire.ms >= 3 * DELAY_MS * 0.95, String(acquire.ms)) // at least of the two that came later
})
