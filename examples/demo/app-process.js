'use strict'

// An application of the demos as a process of its own: starts it, reads its log as pino lines, and leaves nothing of it behind.

const { spawn } = require('node:child_process')
const { EventEmitter, once } = require('node:events')
const path = require('node:path')
const readline = require('node:readline')

const ADDRESS = /listening on (http:[^\s,]+)/
const START_MS = 30_000 // a fresh checkout on a cold, busy disk
const MAX_ERROR_LINES = 5 // of what the application wrote before it died

/** Starts an application; artifacts are written to dir. */
async function startApp ({ dir, script = path.join(__dirname, 'app.js'), appName = 'demo' }) {
  const app = new AppProcess({ dir, script, appName })
  try {
    await app.listening()
    return app
  } catch (error) {
    await app.stop()
    throw error
  }
}

class AppProcess extends EventEmitter {
  #child
  #errorLines = []
  #isClosed = false // ended, and all it wrote has been read
  #kill = () => this.#child.kill('SIGKILL')

  url = ''
  /** What it logged: pino's records, parsed. */
  records = []

  constructor ({ dir, script, appName }) {
    super()
    this.#child = spawn(process.execPath, [script], {
      env: { PORT: '0', ...process.env, LOOPSCOPE_DIR: dir, LOOPSCOPE_APP_NAME: appName },
      stdio: ['ignore', 'pipe', 'pipe']
    })
    readline.createInterface({ input: this.#child.stdout }).on('line', line => this.#read(line))
    // The observer's reports of a loop that is stuck at this very moment come here, and what Node says of a crash.
    readline.createInterface({ input: this.#child.stderr }).on('line', line => this.#read(line, true))
    this.#child.once('close', () => {
      this.#isClosed = true
      this.emit('news')
    })
    process.once('exit', this.#kill)
  }

  get pid () { return this.#child.pid }

  async listening () {
    this.url = await this.#until(() => this.url, START_MS, 'the app did not start')
  }

  /** Waits for the first record that matches. */
  logged (matches, timeoutMs) {
    return this.#until(() => this.records.find(matches), timeoutMs, 'the app did not log what was waited for')
  }

  kill (signal) {
    this.#child.kill(signal)
  }

  async stop () {
    process.off('exit', this.#kill)
    if (this.#isClosed) return
    this.#child.kill('SIGTERM')
    await once(this.#child, 'close')
  }

  #read (line, isError = false) {
    const record = parse(line)
    if (record !== null) this.records.push(record)
    else if (isError) this.#errorLines.push(line)
    else this.url ||= ADDRESS.exec(line)?.[1] ?? ''
    this.emit('news')
  }

  async #until (find, timeoutMs, complaint) {
    const signal = AbortSignal.timeout(timeoutMs)
    for (let found = find(); !found; found = find()) {
      if (this.#isClosed) throw new Error(`${complaint}: ${this.#lastWords()}`)
      try {
        await once(this, 'news', { signal })
      } catch {
        throw new Error(`${complaint} within ${timeoutMs / 1e3} s`)
      }
    }
    return find()
  }

  #lastWords () {
    const error = this.#errorLines.find(line => /^\w*Error\b/.test(line))
    return error ?? (this.#errorLines.slice(-MAX_ERROR_LINES).join('\n') || 'it ended without a word')
  }
}

function parse (line) {
  try {
    return line.startsWith('{') ? JSON.parse(line) : null
  } catch {
    return null
  }
}

module.exports = { startApp }
