'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { isAlive } = require('../../lib/base/system/process-ids')
const { skipWithout } = require('./installed')
const { makeApplication, start, stallOf, profileOf, endingOf, eventually, PRELOAD } = require('./environment')

const skip = skipWithout('express')

const PRIMARY = `
const cluster = require('node:cluster')
cluster.setupPrimary({ exec: 'shop.js' })
cluster.fork()
cluster.fork()
process.on('SIGTERM', () => { for (const worker of Object.values(cluster.workers)) worker.process.kill('SIGTERM') })
cluster.on('exit', (worker, code, signal) => console.log(JSON.stringify({ msg: 'gone', code, signal })))
`

/**
 * A primary that knows nothing of us, with two workers on one port.
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} env
 */
async function startCluster (t, env) {
  const folder = makeApplication(t, { files: { 'primary.js': PRIMARY } })
  const app = start(t, ['primary.js'], { cwd: folder, env: { DRAIN: '1', ...env } })
  const workers = await eventually(() => app.said(/^listening$/).length === 2 && app.said(/^listening$/))
  return { ...app, port: workers[0].port, pids: workers.map(({ pid }) => pid) }
}

/** How it ends when it is asked to. */
async function end (app) {
  app.child.kill('SIGTERM')
  const { stdout, ...ending } = await endingOf(app)
  return { ...ending, stdout: stdout.split('\n').sort() }
}

test('workers report their stalls, give a profile and drain as they would without us', { skip }, async t => {
  const bare = await end(await startCluster(t, {}))
  const app = await startCluster(t, { DOOR: 'middleware' })
  const { stall, pid } = await stallOf(app)
  assert.equal(stall.route, 'GET /stall/:id')
  assert.ok(app.pids.includes(pid))
  await Promise.all(app.pids.map(worker => profileOf(app, worker)))
  if (process.platform === 'linux') assert.equal(app.said(new RegExp(`^SIGUSR2: capturing cpu\\. Send it to workers only: the primary, process ${app.child.pid}, `)).length, 2)
  assert.deepEqual(await end(app), bare)
})

test('a primary without a handler dies of the signal, and the workers with it', { skip }, async t => {
  const app = await startCluster(t, { DOOR: 'middleware' })
  app.child.kill('SIGUSR2')
  assert.equal((await app.ended).signal, 'SIGUSR2')
  await eventually(() => !app.pids.some(isAlive))
})

test('preloaded, the primary is observed as well and survives the signal', { skip }, async t => {
  const bare = await end(await startCluster(t, {}))
  const app = await startCluster(t, { NODE_OPTIONS: PRELOAD })
  await stallOf(app)
  await Promise.all([app.child.pid, ...app.pids].map(pid => profileOf(app, pid)))
  assert.deepEqual(app.said(/Send it to workers only/), [])
  assert.deepEqual(await end(app), bare)
})
