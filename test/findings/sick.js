'use strict'

// A process of the table with its load, asked over its control socket as the command line does.

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { getControl } = require('../admin/running')
const { start } = require('../process/child')
const { makeShortScratch } = require('../store/scratch')

const APPS = path.join(__dirname, 'apps')
const REGISTER = path.join(__dirname, '..', '..', 'register.js')
const LOADED_MS = 8000
const NEIGHBOURS = 5
const CROWDED_SHARE = 0.2

/** What is done to a process beside its load. */
const THEN = {
  /** It has one processor with others that never rest. */
  crowd (t, pid) {
    const pin = command => spawn('taskset', ['-c', '0', ...command], { stdio: 'ignore' })
    spawn('taskset', ['-acp', '0', String(pid)], { stdio: 'ignore' })
    const spinners = Array.from({ length: NEIGHBOURS }, () => pin([process.execPath, '-e', 'const end = Date.now() + 30e3; while (Date.now() < end);']))
    t.after(() => spinners.forEach(spinner => spinner.kill('SIGKILL')))
  },
  async suspend (t, pid) {
    process.kill(pid, 'SIGSTOP')
    await sleep(1500)
    process.kill(pid, 'SIGCONT')
  }
}

/**
 * @param {import('node:test').TestContext} t
 * @param {{ name: string, app?: string, flags?: string[], env?: object, load: object | null, loadedMs?: number, mayOpen?: number, then?: string }} row
 * @returns {Promise<object>} the answer, and whether this process had to wait for a processor meanwhile: then so had that one
 */
async function diagnose (t, { name, app = name, flags = [], env = {}, load, loadedMs = LOADED_MS, mayOpen, then }) {
  const folder = makeShortScratch(t)
  const args = [...flags, '--require', REGISTER, path.join(APPS, 'serve.js'), app]
  const limited = ['-c', `ulimit -n ${mayOpen} && exec "$0" "$@"`, process.execPath, ...args]
  const running = mayOpen === undefined ? start(t, args, { env: { TMPDIR: folder, ...env } }) : start(t, limited, { command: 'sh', env: { TMPDIR: folder, ...env } })
  const { port } = await running.until(/^listening$/)
  const { pid } = running.child
  const socketPath = path.join(folder, `loopscope-${process.geteuid()}`, 'control', `${pid}.sock`)
  while (!fs.existsSync(socketPath)) await sleep(50)
  const stop = new AbortController()
  t.after(() => stop.abort())
  if (load !== null) putLoad(port, load, stop.signal)
  const before = schedulerReading()
  await sleep(loadedMs / 2)
  if (then !== undefined) await THEN[then](t, pid)
  await sleep(loadedMs / 2)
  const { status, text } = await getControl(socketPath, '/findings')
  if (status !== 200) throw new Error(`${name}: ${status} ${text}`)
  const after = schedulerReading()
  stop.abort()
  running.child.kill('SIGKILL')
  const waitedNs = after.waitedNs - before.waitedNs
  return { ...JSON.parse(text), isCrowded: waitedNs > (waitedNs + after.ranNs - before.ranNs) * CROWDED_SHARE }
}

function schedulerReading () {
  const [ranNs, waitedNs] = fs.readFileSync('/proc/self/schedstat', 'utf8').split(' ').map(Number)
  return { ranNs, waitedNs }
}

/** Connections that ask one after the other until the signal. */
function putLoad (port, { connections, pauseMs, timeoutMs, path: target = '/' }, signal) {
  const agent = new http.Agent({ keepAlive: true })
  signal.addEventListener('abort', () => agent.destroy())
  const ask = () => {
    if (signal.aborted) return
    const next = () => { if (!signal.aborted) setTimeout(ask, pauseMs) }
    const request = http.get({ host: '127.0.0.1', port, path: target, agent, signal: timeoutMs && AbortSignal.timeout(timeoutMs) })
    request.on('response', response => response.resume().on('end', next)).on('error', next)
  }
  for (let index = 0; index < connections; index++) ask()
}

/** The line of the application where the fault is; undefined where it has none. */
function lineOf ({ name, app = name }) {
  const lines = fs.readFileSync(path.join(APPS, `${app}.js`), 'utf8').split('\n')
  const index = lines.findIndex(line => line.includes(`// finding: ${name}`))
  return index === -1 ? undefined : index + 1
}

module.exports = { diagnose, lineOf }
