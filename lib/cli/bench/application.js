'use strict'

// The application under load: it is started with loopscope preloaded, in its own session, and ended with all its child processes. The process to
// measure is the one that listens and has loopscope in it.

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const readline = require('node:readline')
const { setTimeout: sleep } = require('node:timers/promises')
const { Failure } = require('../failure')
const { withPreload } = require('../preload')
const { listControlSockets } = require('../connect/control-sockets')
const { listListeners, listSession } = require('../connect/process-facts')
const { pinned } = require('./processors')
const { performance } = require('../../base/timers')

/** @import { ChildProcess } from 'node:child_process' */
/** @import { Surroundings } from '../commands' */
/** @import { Settings } from '../commands/bench' */

const TERMINATE_MS = 5000 // between SIGTERM and SIGKILL
const POLL_MS = 50
const KEPT_LINES = 50 // last lines of standard error, to explain why it ended
const LOOPSCOPE_LINE = /^\{"level":\d+,.*"name":"loopscope"/ // stalls and similar, which are in the result
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])
const CONNECT_MS = 1000

/** @typedef {{ pid: number, port: number, host: string }} Server */

class Application {
  #command
  #child
  /** The last lines of standard error. @type {string[]} */
  #errorLines = []
  #isEnding = false
  /** Rejected when the application ends before it is stopped. @type {Promise<never>} */
  #ended
  #endedEarly = new AbortController()
  #kill = () => this.#signal('SIGKILL')
  /** The second Ctrl-C kills an application that is already ending. */
  #interrupt = () => this.#signal(this.#isEnding ? 'SIGKILL' : 'SIGTERM')

  /**
   * @param {readonly string[]} command
   * @param {object} how
   * @param {NodeJS.ProcessEnv} how.env
   * @param {string} [how.processors]  as taskset takes them
   * @param {(line: string) => void} how.onLine  of its output, from either stream
   */
  constructor (command, { env, processors, onLine }) {
    this.#command = command
    const [file, ...args] = pinned(processors, [...command])
    // Its admin surface is reached over the control socket: a listener would be a second port, and the port to measure would be ambiguous.
    const { LOOPSCOPE_ADMIN_LISTEN: _, ...rest } = withPreload(env)
    this.#child = spawn(file, args, { env: rest, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      readline.createInterface({ input: stream }).on('line', line => {
        if (LOOPSCOPE_LINE.test(line)) return
        if (stream === this.#child.stderr) this.#errorLines = [...this.#errorLines, line].slice(-KEPT_LINES)
        onLine(line)
      })
    }
    this.#ended = this.#watch(this.#child)
    this.#ended.catch(() => this.#endedEarly.abort())
    process.once('exit', this.#kill)
    for (const signal of SIGNALS) process.on(signal, this.#interrupt)
  }

  /** The leader of its session. */
  get pid () { return /** @type {number} */ (this.#child.pid) }

  /** Aborted when it has ended. */
  get ended () { return this.#endedEarly.signal }

  /**
   * @template T
   * @param {Promise<T>} work  that fails when the application ends
   * @returns {Promise<T>}
   */
  during (work) {
    return Promise.race([work, this.#ended])
  }

  /**
   * Polls until there is an answer.
   * @template T
   * @param {() => T | null | Promise<T | null>} find
   * @param {{ seconds: number, signal: AbortSignal }} limits
   * @returns {Promise<T | null>} null: there was none in time
   */
  async until (find, { seconds, signal }) {
    const endMs = performance.now() + seconds * 1e3
    while (performance.now() < endMs) {
      const found = await this.during(Promise.resolve(find()))
      if (found !== null) return found
      await this.during(sleep(POLL_MS, undefined, { signal }))
    }
    return null
  }

  async stop () {
    this.#isEnding = true
    try {
      if (this.#child.pid === undefined || !this.#signal('SIGTERM')) return
      const hasEnded = await this.#endsWithin(TERMINATE_MS)
      if (!hasEnded) this.#kill()
    } finally {
      process.off('exit', this.#kill)
      for (const signal of SIGNALS) process.off(signal, this.#interrupt)
      for (const stream of [this.#child.stdout, this.#child.stderr]) stream.destroy()
    }
  }

  /** @param {number} ms  for the application and its child processes */
  async #endsWithin (ms) {
    const endMs = performance.now() + ms
    while (performance.now() < endMs) {
      if (!this.#signal(0)) return true
      await sleep(POLL_MS)
    }
    return false
  }

  /**
   * @param {NodeJS.Signals | 0} signal  to the application and its child processes
   * @returns {boolean} whether any of them exists
   */
  #signal (signal) {
    try {
      return process.kill(-this.pid, signal)
    } catch {
      return false
    }
  }

  /** @param {ChildProcess} child @returns {Promise<never>} */
  async #watch (child) {
    const cannotRun = (/** @type {string} */ reason) => new Failure('failed', `Cannot run ${this.#command[0]}: ${reason}`)
    const [code, signal] = await once(child, 'close').catch(error => { throw cannotRun(error.message) })
    const [, reason] = /^taskset: failed to execute .*: (.*)$/.exec(this.#errorLines.at(-1) ?? '') ?? []
    if (reason !== undefined) throw cannotRun(reason)
    throw new Failure('failed', `The application ended (${signal ?? `exit code ${code}`})${this.#exitReason()}`)
  }

  #exitReason () {
    const port = this.#errorLines.flatMap(line => /EADDRINUSE\b.*?(\d+)$/.exec(line)?.[1] ?? [])[0]
    if (port !== undefined) return `: its port ${port} is in use.`
    const lines = this.#errorLines.filter(line => line.trim() !== '' && !/^Node\.js v/.test(line))
    const error = lines.findLast(line => /^(?:Uncaught )?\w*Error\b/.test(line)) ?? lines.at(-1)
    return error === undefined ? ' without an error message.' : `: ${error.trim()}`
  }
}

/**
 * @param {Application} application
 * @param {Pick<Surroundings, 'env' | 'signal'> & { settings: Settings }} how
 * @returns {Promise<{ pid: number, url: string }>}
 * @throws {Failure} when there is none in time, or more than one
 */
async function findServer (application, { settings, env, signal }) {
  const port = portOf(settings)
  /** @type {Server[]} */
  let before = []
  const find = () => {
    const servers = listServers(application.pid).filter(server => port === undefined || server.port === port)
    // An application opens several ports in several turns of its loop: one reading may find only the first.
    const isStable = servers.length > 0 && JSON.stringify(servers) === JSON.stringify(before)
    before = servers
    const reachable = isStable ? listReachable(servers, env) : []
    return reachable.length > 0 ? reachable : null
  }
  const servers = await application.until(find, { seconds: settings.startSeconds, signal })
  if (servers === null) throw new Failure('failed', problemOf(settings, port, before), remedyOf(port, before))
  if (servers.length > 1) {
    const ports = servers.map(server => server.port).join(', ')
    throw new Failure('failed', `The application listens on several ports: ${ports}.`, 'Select one with --port.')
  }
  const [{ pid, host, port: found }] = servers
  return { pid, url: settings.url.startsWith('/') ? `http://${host}:${found}${settings.url}` : settings.url }
}

/**
 * Another process that already listens on the port would be measured instead.
 * @param {Settings} settings
 * @throws {Failure} also where the system does not show listeners
 */
async function assertFindable (settings) {
  if (!fs.existsSync('/proc/self/net/tcp')) throw new Failure('failed', 'bench needs /proc to find the port of the application, and this system does not have it.')
  const port = portOf(settings)
  if (port === undefined) return
  const isTaken = await new Promise(resolve => {
    const socket = net.connect({ port, host: '127.0.0.1', timeout: CONNECT_MS })
    const settle = (/** @type {boolean} */ is) => {
      socket.destroy()
      resolve(is)
    }
    socket.on('connect', () => settle(true)).on('timeout', () => settle(false)).on('error', () => settle(false))
  })
  if (isTaken) throw new Failure('failed', `Port ${port} is in use by another process, which would be measured instead of the application.`, 'End that process first.')
}

/** @param {Settings} settings */
function portOf ({ port, url }) {
  if (port !== undefined || url.startsWith('/')) return port
  const { port: written, protocol } = new URL(url)
  return written === '' ? (protocol === 'https:' ? 443 : 80) : Number(written)
}

/** @param {number} leader */
function listServers (leader) {
  return listSession(leader).flatMap(pid => listListeners(pid).map(listener => ({ pid, ...listener })))
}

/** @param {Server[]} servers @param {NodeJS.ProcessEnv} env */
function listReachable (servers, env) {
  const { pids } = listControlSockets(env)
  return servers.filter(({ pid }) => pids.includes(pid))
}

/**
 * @param {Settings} settings
 * @param {number | undefined} port
 * @param {Server[]} servers  that listen, but have no control socket
 */
function problemOf ({ startSeconds }, port, servers) {
  if (servers.length > 0) return `Process ${servers[0].pid} listens on port ${servers[0].port}, but has no loopscope in it.`
  const where = port === undefined ? '' : ` on port ${port}`
  return `The application did not listen${where} within ${startSeconds} s.`
}

/** @param {number | undefined} port @param {Server[]} servers */
function remedyOf (port, servers) {
  if (servers.length > 0) return 'It is preloaded through NODE_OPTIONS: the command does not pass this variable on to the process, or the process is not Node.js.'
  return port === undefined ? 'Allow more time with --start.' : 'Is the port right? Without --port it is detected.'
}

module.exports = { Application, assertFindable, findServer }
