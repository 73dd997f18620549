'use strict'

// A reader of a page with an empty folder and two terminals: the package is installed there as npm packs it, and the commands of the
// page are typed one after the other. What a page leaves to the reader is put in: 1234 and <pid> are the pid of the application, 3000 a
// port that is free.

const assert = require('node:assert/strict')
const { execFileSync, spawn } = require('node:child_process')
const { EventEmitter, once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { ROOT } = require('../internal/project')
const { missingOf } = require('./pages')
const { freePort } = require('../http/listening')

const LISTENING = /listening on http/
const APPEARS_MS = 20_000 // a line of the log that follows the command, on a busy machine
const ATTEMPTS = 4 // "a few seconds later": what only reads is asked again; a stall of a busy machine may have another cause
const ENDS_MS = 10_000
const MOST_SHOWN = 40_000 // characters of each terminal, in the message of a failure

/** @typedef {import('./pages').Block} Block */

class Reader {
  #env
  #port
  #tarball
  /** @type {import('node:child_process').ChildProcess | null} */
  #application = null
  /** @type {string[]} */
  #shown = ['', ''] // in the first terminal, and in the second
  #log = '' // all that the application in the first terminal wrote
  #typed = ''
  #news = new EventEmitter()

  folder

  /**
   * @param {string} place  an empty folder
   * @param {number} port
   */
  constructor (place, port) {
    this.folder = path.join(place, 'shop')
    this.#port = port
    const temporary = path.join(place, 'tmp')
    for (const folder of [this.folder, temporary]) fs.mkdirSync(folder)
    const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', place], { cwd: ROOT, encoding: 'utf8' })
    this.#tarball = path.join(place, JSON.parse(packed)[0].filename)
    const { NODE_OPTIONS, XDG_RUNTIME_DIR, NODE_ENV, ...env } = process.env
    const others = Object.entries(env).filter(([name]) => !/^(?:LOOPSCOPE|npm)_/.test(name))
    // Processes of this machine that do not belong to the story are not on the list: they have their sockets elsewhere.
    this.#env = { ...Object.fromEntries(others), PATH: `${path.dirname(process.execPath)}:${env.PATH}`, TMPDIR: temporary, PORT: String(port), COLUMNS: '80' } // as the pages show it
  }

  /**
   * Types what is in a block of commands, and compares with a block of output what was shown since the last block of commands began.
   * @param {Block[]} blocks
   */
  async follow (blocks) {
    for (const { language, text, heading } of blocks) {
      if (language === 'sh') await this.#typeAll(text)
      else if (language === '') await this.#expect(text, heading)
    }
  }

  /** @param {string} text */
  async #typeAll (text) {
    this.#shown = ['', '']
    for (const line of text.trimEnd().split('\n')) await this.type(line)
  }

  /**
   * A command that listens is left running in the first terminal, where it takes the place of the one before.
   * @param {string} line
   * @returns {Promise<string>} what it wrote
   */
  async type (line) {
    this.#typed = line
    const command = await this.#fillIn(line)
    if (/^(?:\w+=\S+ )*node \S+/.test(command)) await this.endApplication()
    const child = spawn('bash', ['-c', command], { cwd: this.folder, env: this.#env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let output = ''
    let terminal = 1
    const listens = new Promise(resolve => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', text => {
          output += text
          if (LISTENING.test(output)) terminal = 0
          if (terminal === 0) this.#log = output
          this.#shown[terminal] += text
          this.#news.emit('output')
          if (LISTENING.test(output)) resolve(null)
        })
      }
    })
    this.#application = await Promise.race([listens.then(() => child), once(child, 'close').then(() => this.#application)])
    if (this.#application !== child) assert.equal(child.exitCode, 0, `${line}\n${output}`)
    return output
  }

  /** @param {string} line */
  async #fillIn (line) {
    const command = line.replace(/^npm install (.*)\bloopscope\b/, (_, before) => `npm install --no-audit --no-fund --prefer-offline ${before}${this.#tarball}`).replaceAll('3000', String(this.#port))
    return /\b1234\b|<pid>/.test(command) ? command.replace(/\b1234\b|<pid>/g, String(await this.pid())) : command
  }

  /** As `npx loopscope list` shows it; of several processes the first. */
  async pid () {
    for (;;) {
      const list = execFileSync('npx', ['loopscope', 'list', '--json'], { cwd: this.folder, env: this.#env, encoding: 'utf8' })
      const [process] = JSON.parse(list)
      if (process !== undefined) return process.pid
    }
  }

  /**
   * @param {string} excerpt
   * @param {string} heading
   */
  async #expect (excerpt, heading) {
    const reads = /^npx loopscope (?!.* (?:-o|--html) )/.test(this.#typed)
    const isRepeatable = reads || this.#typed.startsWith('curl ')
    for (let attempt = 1; ; attempt++) {
      const missing = () => missingOf(excerpt, this.#shown.join('\n'))
      if (await this.#until(() => missing() === null || null, reads ? 0 : APPEARS_MS)) return
      assert.ok(isRepeatable && attempt < ATTEMPTS, `${heading}: no line like\n${missing()}\nin what ${this.#typed} showed:\n${this.#shown.map(text => text.slice(-MOST_SHOWN)).join('\n')}`)
      await new Promise(resolve => setTimeout(resolve, 2000))
      await this.type(this.#typed)
    }
  }

  /**
   * @template T
   * @param {() => T | null} find
   * @param {number} limitMs
   * @returns {Promise<T | null>} null where nothing of the kind was written in time
   */
  async #until (find, limitMs) {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), limitMs)
    for (;;) {
      const found = find()
      if (found !== null || late.signal.aborted) {
        clearTimeout(timer)
        return found
      }
      await once(this.#news, 'output', { signal: late.signal }).catch(() => {})
    }
  }

  /**
   * @param {(record: any) => unknown} matches
   * @param {() => Promise<unknown>} [again]  where it did not come: on a busy machine the cause may be another one
   * @returns {Promise<any>} the first such record in the first terminal
   */
  async logged (matches, again) {
    for (let attempt = 1; ; attempt++) {
      const find = () => this.#log.split('\n').slice(0, -1).filter(line => line.startsWith('{')).map(line => JSON.parse(line)).find(matches)
      const found = await this.#until(() => find() ?? null, APPEARS_MS)
      if (found !== null) return found
      assert.ok(again !== undefined && attempt < ATTEMPTS, `no such line in ${this.#log.slice(-MOST_SHOWN)}`)
      await again()
    }
  }

  /** Ctrl-C in the first terminal: the whole pipe, and the workers of a cluster. */
  async endApplication () {
    const application = this.#application
    this.#application = null
    if (application === null || application.exitCode !== null || application.signalCode !== null) return
    const closed = once(application, 'close')
    const kill = (/** @type {NodeJS.Signals} */ signal) => process.kill(-Number(application.pid), signal)
    kill('SIGINT')
    const late = setTimeout(kill, ENDS_MS, 'SIGKILL')
    await closed
    clearTimeout(late)
  }
}

/**
 * @param {import('node:test').TestContext} t  after which nothing is left
 */
async function makeReader (t) {
  const place = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-docs-'))
  const reader = new Reader(place, await freePort())
  t.after(async () => {
    await reader.endApplication()
    fs.rmSync(place, { recursive: true, force: true })
  })
  return reader
}

module.exports = { makeReader }
