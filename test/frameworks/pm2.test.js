'use strict'

const assert = require('node:assert/strict')
const path = require('node:path')
const { describe, test } = require('node:test')
const { skipWithout } = require('./installed')
const { stallOf, profileOf, REGISTER } = require('./environment')
const { startPm2 } = require('./under-pm2')

const skip = skipWithout('pm2', 'express')

/** What PM2 knows of it when it has been told to stop. */
async function stop ({ pm2, list, readLog }) {
  await pm2('stop', 'shop')
  const [{ pm2_env: { status, exit_code: exitCode } }] = await list()
  const printed = ['output', 'error'].map(name => readLog(name).split('\n').filter(line => !line.includes('"name":"loopscope"')).join('\n').replace(/"(port|pid)":\d+/g, '"$1":0'))
  return { status, exitCode, printed }
}

const CLUSTER = ['-i', '1']
const PRELOADED = ['--node-args', `--require ${REGISTER}`]

const WAYS = {
  'middleware, fork mode': { mode: [], env: { DOOR: 'middleware' }, log: 'output' },
  'middleware, cluster mode': { mode: CLUSTER, env: { DOOR: 'middleware' }, log: 'output' },
  'preload, fork mode': { mode: [], args: PRELOADED, log: 'error' },
  'preload, cluster mode': { mode: CLUSTER, args: PRELOADED, log: 'error' }
}

// Side by side: most of the time is the ten seconds of a capture.
describe('PM2', { concurrency: true }, () => {
  for (const [way, { mode, args = [], env, log }] of Object.entries(WAYS)) {
    test(`${way}: our lines are in the application's log, its name and files are its own, and it stops as without us`, { skip }, async t => {
      const app = await startPm2(t, [...mode, ...args], env)
      const { stall } = await stallOf(app)
      assert.deepEqual({ route: stall.route, file: stall.culprit.file }, { route: 'GET /stall/:id', file: 'shop.js' })
      assert.match(await profileOf(app, app.pid), /"blockForAWhile"/)
      assert.match(path.basename(app.said(/written to/)[0].path), /^cpu-shop-/)
      assert.match(app.readLog(log), /event loop stalled/)
      // But for the report of a stall that lasts, which comes from another thread, nothing of ours is in the daemon's.
      assert.doesNotMatch(app.readLog('daemon'), /"msg":"(event loop stalled|SIGUSR2)/)
      assert.deepEqual(await stop(app), await stop(await startPm2(t, mode)))
    })
  }
})
