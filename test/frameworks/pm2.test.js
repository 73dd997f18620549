'use strict'

const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { describe, test } = require('node:test')
const { promisify } = require('node:util')
const { skipWithout, commandOf } = require('./installed')
const { makeApplication, eventually, stallOf, profileOf, REGISTER } = require('./environment')

const skip = skipWithout('pm2', 'express')
const run = promisify(execFile)
const read = file => fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''

/**
 * The application under a PM2 of its own.
 * @param {import('node:test').TestContext} t
 * @param {string[]} args  of `pm2 start shop.js`
 * @param {Record<string, string>} [env]
 */
async function startPm2 (t, args, env = {}) {
  const home = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-pm2-'))
  const pm2 = (...words) => run(process.execPath, [commandOf('pm2'), ...words], { cwd: home, env: { ...process.env, PM2_HOME: home, LOOPSCOPE_DIR: path.join(home, 'captures'), ...env } })
  t.after(async () => {
    await pm2('kill')
    fs.rmSync(home, { recursive: true, force: true })
  })
  const folder = makeApplication(t)
  const logs = { output: path.join(home, 'out.log'), error: path.join(home, 'error.log'), daemon: path.join(home, 'pm2.log') }
  await pm2('start', path.join(folder, 'shop.js'), '--cwd', folder, '--no-autorestart', '--merge-logs', '--output', logs.output, '--error', logs.error, ...args)
  const said = pattern => linesOf(read(logs.output) + read(logs.error)).filter(({ msg }) => pattern.test(msg))
  const [{ port, pid }] = await eventually(() => said(/^listening$/).length > 0 && said(/^listening$/), () => read(logs.output) + read(logs.error) + read(logs.daemon))
  return { port, pid, said, pm2, readLog: name => read(logs[name]) }
}

/** @param {string} text */
function linesOf (text) {
  return text.split('\n').filter(line => /^\{.*\}$/.test(line)).map(line => JSON.parse(line))
}

/** What PM2 knows of it when it has been told to stop. */
async function stop ({ pm2, readLog }) {
  await pm2('stop', 'shop')
  const { stdout } = await pm2('jlist')
  const [{ pm2_env: { status, exit_code: exitCode } }] = JSON.parse(stdout.slice(stdout.indexOf('[{')))
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
