'use strict'

// The parent's end of a measured process: starts it, asks it questions, ends it. It knows nothing of what is measured.

const { fork } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { pinned } = require('../../lib/cli/bench/processors')

// The longest question takes 10 s; a process that says nothing for this long will not answer any more.
const MAX_SILENCE_MS = 60_000
const MAX_LEAVING_MS = 5000

/** @type {Set<import('node:child_process').ChildProcess>} */
const alive = new Set()

// The temporary folder of all measured processes: what they capture must not push out what a person captured.
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'loopscope-bench-'))

process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
  fs.rmSync(scratch, { recursive: true })
})

/** @typedef {{ processors?: string }} Where  as taskset takes them */

/**
 * @param {string} name  of a file in bench/processes
 * @param {string[]} args
 * @param {Where} where
 */
async function startChild (name, args, { processors }) {
  const file = path.join(__dirname, '..', 'processes', `${name}.js`)
  const env = Object.fromEntries(Object.entries(process.env).filter(([variable]) => !/^(LOOPSCOPE_|NODE_OPTIONS$)/.test(variable)))
  const [execPath, ...execArgv] = pinned(processors, [process.execPath])
  const child = fork(file, args, { env: { ...env, NODE_ENV: 'production', TMPDIR: scratch }, execPath, execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  alive.add(child)
  child.once('exit', () => alive.delete(child))
  const title = [name, ...args].join(' ')
  const { value } = await answerOf(child, title)
  return new Child(child, title, value)
}

class Child {
  #child
  #title

  /** What the process said when it was ready. */
  hello

  /**
   * @param {import('node:child_process').ChildProcess} child
   * @param {string} title
   * @param {any} hello
   */
  constructor (child, title, hello) {
    this.#child = child
    this.#title = title
    this.hello = hello
  }

  /**
   * One question at a time.
   * @param {string} question
   * @param {any} [argument]
   * @returns {Promise<any>}
   */
  async ask (question, argument) {
    this.#child.send({ question, argument })
    const { value, error } = await answerOf(this.#child, `${this.#title}: ${question}`)
    if (error !== undefined) throw new Error(`${this.#title}: ${question}: ${error}`)
    return value
  }

  async stop () {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.kill() // politely: some have files to remove
    const impatience = setTimeout(() => this.#child.kill('SIGKILL'), MAX_LEAVING_MS)
    await exited
    clearTimeout(impatience)
  }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} title
 * @returns {Promise<{ value?: any, error?: string }>}
 */
async function answerOf (child, title) {
  const settled = new AbortController()
  const { signal } = settled
  const silence = setTimeout(() => settled.abort(), MAX_SILENCE_MS)
  try {
    const exit = once(child, 'exit', { signal }).then(([code, killedBy]) => { throw new Error(`${title}: the process ended (${killedBy ?? code})`) })
    const [answer] = await Promise.race([once(child, 'message', { signal }), exit])
    return answer
  } catch (error) {
    throw signal.aborted ? new Error(`${title}: no answer for ${MAX_SILENCE_MS / 1e3} s`) : error
  } finally {
    clearTimeout(silence)
    settled.abort()
  }
}

/**
 * Starts one process a case, hands them over, and ends them whatever happens.
 * @template T
 * @param {string} name
 * @param {readonly string[][]} argsOfCases
 * @param {(children: Child[]) => Promise<T>} use
 * @param {Where} [where]
 * @returns {Promise<T>}
 */
async function withChildren (name, argsOfCases, use, where = {}) {
  /** @type {Child[]} */
  const children = []
  try {
    for (const args of argsOfCases) children.push(await startChild(name, args, where))
    return await use(children)
  } finally {
    await Promise.all(children.map(child => child.stop()))
  }
}

module.exports = { Child, withChildren }
