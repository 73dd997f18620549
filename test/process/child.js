'use strict'

// Applications in processes of their own, with a store of their own, for one test. What they write to standard output is
// read line by line; a driven one also runs functions of the test.

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')

const AGAIN_MS = 5000

const fixtures = path.resolve(__dirname, '../fixtures/process')

/**
 * @param {import('node:test').TestContext} t  the process is killed after it
 * @param {string[]} args
 * @param {{ command?: string, env?: object, cwd?: string, stdio?: any[] }} [options]
 */
function start (t, args, { command = process.execPath, env = {}, cwd, stdio = [] } = {}) {
  const dir = path.join(fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-test-')), 'captures')
  const child = spawn(command, args, { cwd, env: { ...process.env, XDG_RUNTIME_DIR: '', LOOPSCOPE_DIR: dir, ...env }, stdio: ['ignore', 'pipe', 'pipe', ...stdio] })
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', text => { written[name] += text })
  const exited = once(child, 'exit')
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...written }))
  t.after(async () => {
    child.kill('SIGKILL')
    // A child of the child may hold the pipes open; it ends when it sees the channel closed.
    if (child.connected) child.disconnect()
    for (const name of ['stdout', 'stderr']) child[name].destroy()
    await exited
    fs.rmSync(path.dirname(dir), { recursive: true, force: true })
  })
  return { child, dir, ended, said, until, untilFrom, lines }

  /** Every line that is JSON: what the fixtures say and the log, which a preload writes to standard error. */
  function lines () {
    return Object.values(written).flatMap(text => text.split('\n').slice(0, -1)).filter(line => line.startsWith('{')).map(line => JSON.parse(line))
  }

  /** The lines whose message matches. */
  function said (pattern) {
    return lines().filter(({ msg }) => pattern.test(msg))
  }

  /** Waits for the first line whose message matches. */
  async function until (pattern) {
    const end = ended.then(({ stdout, stderr }) => { throw new Error(`ended before it said ${pattern}:\n${stdout}${stderr}`) })
    end.catch(() => {})
    while (said(pattern).length === 0) {
      const heard = new AbortController()
      await Promise.race([...['stdout', 'stderr'].map(name => once(child[name], 'data', heard)), end])
      heard.abort()
    }
    return said(pattern)[0]
  }

  /** The same for a line that `act` brings about, which is done again: on a busy machine the report of a stall may lack what is waited for. */
  async function untilFrom (act, pattern) {
    const line = until(pattern)
    line.catch(() => {}) // where act() fails first
    for (;;) {
      await act()
      const found = await Promise.race([line, sleep(AGAIN_MS, null, { ref: false })])
      if (found !== null) return found
    }
  }
}

/**
 * A process that runs what the test sends, with { createDiagnostics, diagnostics, ready } of the package and `handle`, which
 * is started with the options.
 * @param {import('node:test').TestContext} t
 * @param {{ options?: object, execArgv?: string[], env?: object, command?: (args: string[]) => [string, string[]] }} [settings]
 */
async function drive (t, { options = {}, execArgv = [], env, through = args => [process.execPath, args] } = {}) {
  const [command, args] = through([...execArgv, path.join(fixtures, 'driven.js'), JSON.stringify(options)])
  const app = start(t, args, { command, env, stdio: ['ipc'] })
  await app.until(/^driven$/)
  let asked = 0

  /**
   * Resolves when what the application has logged until then has arrived, too.
   * @param {Function} work  sent as text: it sees its arguments only
   * @param {...any} values  plain data
   */
  async function run (work, ...values) {
    const id = ++asked
    app.child.send({ id, work: String(work), values })
    const [{ error, value }] = await Promise.race([once(app.child, 'message'), app.ended.then(({ stdout, stderr }) => { throw new Error(`ended:\n${stdout}${stderr}`) })])
    await app.until(new RegExp(`^answered ${id}$`))
    if (error) throw Object.assign(new Error(error.message), error)
    return value
  }
  return { ...app, run }
}

module.exports = { start, drive, fixtures }
