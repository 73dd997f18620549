'use strict'

// Workers of one parent: one port of the application, one token, and listeners on ports that stay where they are.

const test = require('node:test')
const assert = require('node:assert/strict')
const net = require('node:net')
const { once } = require('node:events')
const path = require('node:path')
const { get, TOKEN } = require('./running')
const { start } = require('../process/child')
const { makeShortScratch } = require('../store/scratch')

const FIXTURES = path.join(__dirname, '..', 'fixtures', 'admin')
const PORTS = 6 // more than any of these tests takes

/** @param {import('node:test').TestContext} t */
async function runWorkers (t, count, { env = {}, folder = makeShortScratch(t) } = {}) {
  const app = start(t, [path.join(FIXTURES, 'primary.js')], { env: { LOOPSCOPE_TOKEN: TOKEN, TMPDIR: folder, XDG_RUNTIME_DIR: '', TEST_WORKERS: String(count), ...env } })
  await untilCount(app, /^listening$/, count)
  const worker = () => app.said(/^listening$/)
  return { ...app, folder, pids: () => worker().map(({ pid }) => pid), url: `http://127.0.0.1:${worker()[0].port}` }
}

async function untilCount (app, pattern, count) {
  const deadlineMs = performance.now() + 60_000
  while (app.said(pattern).length < count) {
    assert.ok(app.child.exitCode === null && performance.now() < deadlineMs, JSON.stringify(app.lines()))
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  return app.said(pattern)
}

/** The first of some ports that are free, below those that systems give away. */
async function freePorts () {
  for (;;) {
    const base = 20_000 + Math.floor(Math.random() * 10_000)
    const servers = Array.from({ length: PORTS }, (_, at) => net.createServer().listen({ port: base + at, host: '127.0.0.1', exclusive: true }))
    const areFree = await Promise.all(servers.map(server => once(server, 'listening').then(() => true, () => false)))
    await Promise.all(servers.filter((_, at) => areFree[at]).map(server => new Promise(resolve => server.close(resolve))))
    if (areFree.every(Boolean)) return base
  }
}

const portsOf = app => app.said(/^diagnostics at /).map(({ url }) => Number(new URL(url).port))
const pidAt = async port => (await (await get(`http://127.0.0.1:${port}/`, { headers: { accept: 'application/json' } })).json()).facts.pid

test('the workers of a primary without loopscope have one token, logged once', async t => {
  const app = await runWorkers(t, 3, { env: { LOOPSCOPE_TOKEN: '' } })
  const { url } = await app.until(/^diagnostics at /)
  const [, place, token] = /^(.+)#token=(.+)$/.exec(url)
  const seen = new Set()
  for (let request = 0; seen.size < 3 && request < 200; request++) {
    const response = await get(`${place}/`, { token, headers: { accept: 'application/json', connection: 'close' } })
    assert.equal(response.status, 200)
    seen.add((await response.json()).facts.pid)
  }
  assert.deepEqual([...seen].sort(), app.pids().sort())
  assert.equal(app.said(/token=/).length, 1)
})

test('another group, and a group that comes later, has another token', async t => {
  const tokenOf = async app => /#token=(.+)$/.exec((await app.until(/^diagnostics at /)).url)[1]
  const folder = makeShortScratch(t)
  const one = await runWorkers(t, 1, { env: { LOOPSCOPE_TOKEN: '' }, folder })
  const other = await runWorkers(t, 1, { env: { LOOPSCOPE_TOKEN: '' }, folder })
  assert.notEqual(await tokenOf(one), await tokenOf(other))
})

test('a worker that replaces another takes over its port, however often', async t => {
  const base = await freePorts()
  const app = await runWorkers(t, 2, { env: { LOOPSCOPE_ADMIN_LISTEN: String(base) } })
  await untilCount(app, /^diagnostics at /, 2)
  assert.deepEqual(portsOf(app).sort(), [base + 1, base + 2])
  for (let round = 0; round < 3; round++) {
    const told = portsOf(app).length
    process.kill(await pidAt(base + 1), 'SIGKILL')
    await untilCount(app, /^diagnostics at /, told + 1)
    assert.equal(portsOf(app).at(-1), base + 1)
  }
  assert.deepEqual(app.said(/admin listener could not start/), [])
})

test('a generation that lives on beside the next one costs nobody a listener, and the one after has the first ports again', async t => {
  const base = await freePorts()
  const app = await runWorkers(t, 1, { env: { LOOPSCOPE_ADMIN_LISTEN: String(base) } })
  await untilCount(app, /^diagnostics at /, 1)
  app.child.kill('SIGHUP')
  await untilCount(app, /^diagnostics at /, 2)
  process.kill(app.pids()[0], 'SIGKILL')
  await untilCount(app, /^diagnostics at /, 3)
  assert.deepEqual(portsOf(app), [base + 1, base + 2, base + 1])
  assert.deepEqual(app.said(/admin listener could not start/), [])
})

test('a port that another program holds is not taken, nor is another one, and the reason is logged', async t => {
  const base = await freePorts()
  const other = net.createServer().listen({ port: base + 1, host: '127.0.0.1' })
  await once(other, 'listening')
  t.after(() => other.close())
  const app = await runWorkers(t, 2, { env: { LOOPSCOPE_ADMIN_LISTEN: String(base) } })
  const [{ msg }] = await untilCount(app, /^the admin listener could not start/, 1)
  assert.match(msg, new RegExp(`EADDRINUSE.*:${base + 1}`))
  await untilCount(app, /^diagnostics at /, 1)
  assert.deepEqual(portsOf(app), [base + 2])
})

test('under PM2 the port follows the number of the instance, and waits for the process that is replaced', async t => {
  const base = await freePorts()
  const folder = makeShortScratch(t)
  const env = { LOOPSCOPE_ADMIN_LISTEN: String(base), LOOPSCOPE_TOKEN: TOKEN, TMPDIR: folder, XDG_RUNTIME_DIR: '', pm_id: '7', NODE_APP_INSTANCE: '3' }
  const before = start(t, [path.join(FIXTURES, 'app.js')], { env })
  await before.until(/^diagnostics at /)
  assert.deepEqual(portsOf(before), [base + 3])
  const after = start(t, [path.join(FIXTURES, 'app.js')], { env })
  const { port } = await after.until(/^listening$/)
  assert.equal((await get(`http://127.0.0.1:${port}/diagnostics/loop`)).status, 200)
  assert.deepEqual([portsOf(after), after.said(/admin listener could not start/)], [[], []])
  before.child.kill('SIGTERM')
  await after.until(/^diagnostics at /)
  assert.deepEqual(portsOf(after), [base + 3])
})

test('under PM2 a port that another application holds is reported at once', async t => {
  const base = await freePorts()
  const env = { LOOPSCOPE_ADMIN_LISTEN: String(base), LOOPSCOPE_TOKEN: TOKEN, TMPDIR: makeShortScratch(t), XDG_RUNTIME_DIR: '', NODE_APP_INSTANCE: '0' }
  await start(t, [path.join(FIXTURES, 'app.js')], { env: { ...env, pm_id: '1' } }).until(/^diagnostics at /)
  await start(t, [path.join(FIXTURES, 'app.js')], { env: { ...env, pm_id: '2' } }).until(/^the admin listener could not start.*EADDRINUSE/)
})
