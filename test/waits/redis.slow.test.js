'use strict'

// ioredis and redis against a real Redis, behind a proxy that delays it: what was counted is what the server counted.

const test = require('node:test')
const assert = require('node:assert/strict')
const { serve } = require('./serving')
const { load, pathOf, skipWithout, startProxy, startRedis } = require('./servers')
const { execFileSync } = require('node:child_process')

const DELAY_MS = 40

/** What the server has counted of a command. */
function countedByServer (port, command) {
  const text = execFileSync(pathOf('redis-cli'), ['-p', String(port), 'info', 'commandstats'], { encoding: 'utf8' })
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(text)?.[1] ?? 0)
}

const CLIENTS = {
  ioredis: async port => {
    const { Redis } = load('ioredis')
    const redis = new Redis(port, '127.0.0.1')
    await redis.ping()
    return {
      get: key => redis.get(key),
      set: (key, value) => redis.set(key, value),
      hgetall: key => redis.hgetall(key),
      wrong: () => redis.lpush('text', 'secret'),
      multi: () => redis.multi().set('a', '1').incr('a').exec(),
      close: () => redis.quit()
    }
  },
  redis: async port => {
    const client = load('redis').createClient({ socket: { port, host: '127.0.0.1' } })
    client.on('error', () => {})
    await client.connect()
    await client.ping()
    return {
      get: key => client.get(key),
      set: (key, value) => client.set(key, value),
      hgetall: key => client.hGetAll(key),
      wrong: () => client.lPush('text', 'secret'),
      multi: () => client.multi().set('a', '1').incr('a').exec(),
      close: () => client.close()
    }
  }
}

for (const [name, open] of Object.entries(CLIENTS)) {
  test(`${name}: commands by name, each that the server saw, for as long as it took`, { skip: skipWithout(name, ['redis-server', 'redis-cli'], 'redis-server') }, async t => {
    const port = await startRedis(t)
    const proxy = await startProxy(t, port)
    const app = await serve(t, null)
    const client = await open(proxy.port) // outside of requests, as applications do
    t.after(() => client.close())
    await client.set('text', 'secret')
    proxy.delayMs = DELAY_MS
    app.handler = async () => {
      for (let key = 0; key < 3; key++) await client.get(`secret-${key}`)
      await Promise.all([client.hgetall('secret'), client.hgetall('secret-2')])
      await client.wrong().catch(() => {})
      await client.multi()
    }
    await app.ask()
    const target = `127.0.0.1:${proxy.port}`
    const waited = await app.waits()
    const { [`redis GET ${target}`]: get, [`redis HGETALL ${target}`]: hgetall, [`redis LPUSH ${target}`]: wrong } = waited
    assert.deepEqual([get.calls, hgetall.calls, wrong.calls, wrong.errors], [3, 2, 1, 1])
    assert.equal(waited[`redis ${name === 'redis' ? 'MULTI' : 'EXEC'} ${target}`].calls, 1)
    const counts = await app.counted()
    assert.deepEqual([counts[`redis GET ${target}`].calls, counts[`redis HGETALL ${target}`].calls], ['get', 'hgetall'].map(command => countedByServer(port, command)))
    assert.ok(counts[`redis GET ${target}`].ms >= 3 * DELAY_MS * 0.95, String(counts[`redis GET ${target}`].ms))
    assert.equal(counts[`redis LPUSH ${target}`].errors, 1)
    assert.equal(counts[`redis connect ${target}`].calls, 1)
    assert.ok(!JSON.stringify([waited, counts]).includes('secret'))
  })
}

test('redis: the time until a pool gives a client', { skip: skipWithout('redis', ['redis-server'], 'redis-server') }, async t => {
  const proxy = await startProxy(t, await startRedis(t))
  const pool = load('redis').createClientPool({ socket: { port: proxy.port, host: '127.0.0.1' } }, { minimum: 1, maximum: 1, acquireTimeout: 5000 })
  pool.on('error', () => {})
  const { ask, counted } = await serve(t, () => Promise.all([pool.get('a'), pool.get('b'), pool.get('c')]))
  await pool.connect()
  t.after(() => pool.destroy())
  proxy.delayMs = DELAY_MS
  await ask()
  const { [`redis pool 127.0.0.1:${proxy.port}`]: waited } = await counted()
  assert.equal(waited.calls, 3)
  assert.ok(waited.ms >= 3 * DELAY_MS * 0.95, String(waited.ms)) // none, one, two answers
})
