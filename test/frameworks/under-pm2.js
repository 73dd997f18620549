'use strict'

// The application under a PM2 of its own: a daemon for one test, in a folder of its own.

const { execFile } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { promisify } = require('node:util')
const { commandOf } = require('./installed')
const { makeApplication, eventually } = require('./environment')

const run = promisify(execFile)
const read = file => fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''

// A command that waits for an answer which never comes is a fault, not a slow machine.
const COMMAND_MS = 120_000

/**
 * @param {import('node:test').TestContext} t
 * @param {string[]} args  of `pm2 start shop.js`
 * @param {Record<string, string>} [env]
 * @param {number} [processes]  that `args` asks for
 */
async function startPm2 (t, args, env = {}, processes = 1) {
  const home = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-pm2-'))
  const ofPm2 = { PM2_HOME: home, LOOPSCOPE_DIR: path.join(home, 'captures'), PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}` }
  const pm2 = (...words) => run(process.execPath, [commandOf('pm2'), ...words], { cwd: home, timeout: COMMAND_MS, env: { ...process.env, ...ofPm2, ...env } })
  t.after(async () => {
    await pm2('kill')
    fs.rmSync(home, { recursive: true, force: true })
  })
  const folder = makeApplication(t)
  const logs = { output: path.join(home, 'out.log'), error: path.join(home, 'error.log'), daemon: path.join(home, 'pm2.log') }
  await pm2('start', path.join(folder, 'shop.js'), '--cwd', folder, '--no-autorestart', '--merge-logs', '--output', logs.output, '--error', logs.error, ...args)
  const said = pattern => linesOf(read(logs.output) + read(logs.error)).filter(({ msg }) => pattern.test(msg))
  const [{ port, pid }] = await eventually(() => said(/^listening$/).length >= processes && said(/^listening$/), () => read(logs.output) + read(logs.error) + read(logs.daemon))
  return { port, pid, home, said, pm2, list: () => listOf(pm2), readLog: name => read(logs[name]) }
}

/** @param {string} text */
function linesOf (text) {
  return text.split('\n').filter(line => /^\{.*\}$/.test(line)).map(line => JSON.parse(line))
}

/** What PM2 knows of the processes. */
async function listOf (pm2) {
  const { stdout } = await pm2('jlist')
  return JSON.parse(stdout.slice(stdout.indexOf('[{')))
}

module.exports = { startPm2 }
