'use strict'

// The application under load: started with us in it, in a session of its own, and ended with all that it started.

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const readline = require('node:readline')
const { setTimeout: sleep } = require('node:timers/promises')
const { performance } = require('../../shared/base/timers')
const { Failure } = require('../failure')
const { withPreload } = require('../preload')
const { pinned } = require('./processors')

/** @import { ChildProcess } from 'node:child_process' */

const LEAVE_MS = 5000 // between SIGTERM and SIGKILL
const POLL_MS = 50
const KEPT_LINES = 50 // of what it wrote to standard error last, to say why it ended
const OWN_LINE = /^\{"level":\d+,.*"name":"loopscope"/ // stalls and the like, which are in the result
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])

/**
 * @param {readonly string[]} command
 * @param {object} how
 * @param {NodeJS.ProcessEnv} how.env
 * @param {string} [how.processors]  as taskset takes them
 * @param {(line: string) => void} how.onLine  it wrote, to either stream
 */
function startApplication (command, how) {
  return new Application(command, how)
}

class Application {
  #command
  #child
  /** What it wrote to standard error last. @type {string[]} */
  #lines = []
  #isEnding = false
  /** Rejected when the application ends before it is stopped. @type {Promise<never>} */
  #ended
  #gone = new AbortController()
  #kill = () => this.#signal('SIGKILL')
  /** The second Ctrl-C finds the application on its way out. */
  #interrupt = () => this.#signal(this.#isEnding ? 'SIGKILL' : 'SIGTERM')

  /**
   * @param {readonly string[]} command
   * @param {Parameters<typeof startApplication>[1]} how
   */
  constructor (command, { env, processors, onLine }) {
    this.#command = command
    const [file, ...args] = pinned(processors, [...command])
    // Its admin surface is asked at the control socket: a listener would be a second port, of which nobody knows which is meant.
    const { LOOPSCOPE_ADMIN_LISTEN: _, ...rest } = withPreload(env)
    this.#child = spawn(file, args, { env: rest, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      readline.createInterface({ input: stream }).on('line', line => {
        if (OWN_LINE.test(line)) return
        if (stream === this.#child.stderr) this.#lines = [...this.#lines, line].slice(-KEPT_LINES)
        onLine(line)
      })
    }
    this.#ended = this.#watch(this.#child)
    this.#ended.catch(() => this.#gone.abort())
    process.once('exit', this.#kill)
    for (const signal of SIGNALS) process.on(signal, this.#interrupt)
  }

  /** The leader of its session. */
  get pid () { return /** @type {number} */ (this.#child.pid) }

  /** Aborted when it has ended. */
  get gone () { return this.#gone.signal }

  /**
   * @template T
   * @param {Promise<T>} work  that needs the application
   * @returns {Promise<T>}
   */
  during (work) {
    return Promise.race([work, this.#ended])
  }

  /**
   * Asks again and again until there is an answer.
   * @template T
   * @param {() => T | null | Promise<T | null>} find
   * @param {{ seconds: number, signal: AbortSignal }} patience
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
      const isGone = await this.#goneWithin(LEAVE_MS)
      if (!isGone) this.#kill()
    } finally {
      process.off('exit', this.#kill)
      for (const signal of SIGNALS) process.off(signal, this.#interrupt)
      for (const stream of [this.#child.stdout, this.#child.stderr]) stream.destroy()
    }
  }

  /** @param {number} ms  in which all that it started may end, too */
  async #goneWithin (ms) {
    const endMs = performance.now() + ms
    while (performance.now() < endMs) {
      if (!this.#signal(0)) return true
      await sleep(POLL_MS)
    }
    return false
  }

  /**
   * @param {NodeJS.Signals | 0} signal  to the application and what it started
   * @returns {boolean} whether there is anybody
   */
  #signal (signal) {
    try {
      return process.kill(-this.pid, signal)
    } catch {
      return false
    }
  }

  /**
   * @param {ChildProcess} child
   * @returns {Promise<never>}
   */
  async #watch (child) {
    const cannotRun = (/** @type {string} */ why) => new Failure('failed', `Cannot run ${this.#command[0]}: ${why}`)
    const [code, signal] = await once(child, 'close').catch(error => { throw cannotRun(error.message) })
    const [, why] = /^taskset: failed to execute .*: (.*)$/.exec(this.#lines.at(-1) ?? '') ?? []
    if (why !== undefined) throw cannotRun(why)
    throw new Failure('failed', `The application ended (${signal ?? `exit code ${code}`})${this.#lastWords()}`)
  }

  #lastWords () {
    const port = this.#lines.flatMap(line => /EADDRINUSE\b.*?(\d+)$/.exec(line)?.[1] ?? [])[0]
    if (port !== undefined) return `: its port ${port} is in use.`
    const lines = this.#lines.filter(line => line.trim() !== '' && !/^Node\.js v/.test(line))
    const error = lines.findLast(line => /^(?:Uncaught )?\w*Error\b/.test(line)) ?? lines.at(-1)
    return error === undefined ? ' without a word.' : `: ${error.trim()}`
  }
}

module.exports = { startApplication }
