'use strict'

// An application of test/fixtures/apps in a process of its own for one test: what it printed, its stalls, its requests.

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const { createInterface } = require('node:readline')
const { setTimeout: sleep } = require('node:timers/promises')

const FOLDER = path.join(__dirname, '../fixtures/apps')
const AGAIN_MS = 5000

/**
 * Starts it and waits until it listens; it is ended when the test is over.
 * @param {{ args?: string[], env?: NodeJS.ProcessEnv, cgroupProcs?: string, isListening?: boolean }} [options]  cgroupProcs: the file to join a cgroup by
 */
async function start (t, file, { args = [], env = {}, cgroupProcs, isListening = true } = {}) {
  const command = [process.execPath, path.join(FOLDER, file), ...args]
  if (cgroupProcs !== undefined) command.unshift('sh', '-c', 'echo $$ > "$0" && exec "$@"', cgroupProcs)
  const child = spawn(command[0], command.slice(1), { env: { ...process.env, ...env } })
  const app = new Started(child)
  t.after(() => app.end())
  if (isListening) app.port = (await app.line(({ port }) => port !== undefined)).port
  return app
}

class Started {
  /** Every line printed on either stream, in order of arrival, parsed where it is JSON. */
  lines = []
  #child
  #waiting = new Set()

  constructor (child) {
    this.#child = child
    for (const stream of ['stdout', 'stderr']) {
      createInterface({ input: child[stream] }).on('line', text => this.#add(stream, text))
    }
    child.on('close', (code, signal) => this.#add('end', `${code ?? signal}`))
  }

  get pid () { return this.#child.pid }

  /** The reports of stalls that are over, oldest first. */
  get stalls () { return this.lines.filter(({ stream, stall }) => stream === 'stdout' && stall).map(({ stall }) => stall) }

  /** The first line, printed already or still to come, that fits. */
  line (fits) {
    return new Promise((resolve, reject) => {
      const check = line => {
        if (!fits(line) && line.stream !== 'end') return false
        if (fits(line)) resolve(line)
        else reject(new Error(`the application ended: ${this.lines.map(({ text }) => text).join('\n')}`))
        return this.#waiting.delete(check) || true
      }
      if (!this.lines.some(check)) this.#waiting.add(check)
    })
  }

  /** The first report of a stall, printed already or still to come, that fits. */
  async stall (fits) {
    const { stall } = await this.line(({ stream, stall }) => stream === 'stdout' && stall && fits(stall))
    return stall
  }

  /** The same for a stall that `act` makes, and makes again: on a busy machine nobody may have got the processor to look at the first. */
  async stallOf (act, fits) {
    for (;;) {
      await act()
      const stall = await Promise.race([this.stall(fits), sleep(AGAIN_MS, undefined, { ref: false })])
      if (stall) return stall
    }
  }

  async get (path, options) {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, options)
    return { status: response.status, text: await response.text() }
  }

  write (text) {
    this.#child.stdin.write(text)
  }

  kill (signal) {
    this.#child.kill(signal)
  }

  async end () {
    const child = this.#child
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'close')
  }

  #add (stream, text) {
    const line = { ...parse(text), stream, text }
    this.lines.push(line)
    for (const check of [...this.#waiting]) check(line)
  }
}

function parse (text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

module.exports = { start, FOLDER }
