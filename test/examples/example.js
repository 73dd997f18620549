'use strict'

// An example as a user starts it: a process of its own, its output, and its address when it serves one.

const { spawn } = require('node:child_process')
const { EventEmitter, once } = require('node:events')
const path = require('node:path')
const { makeScratch } = require('../store/scratch')

/**
 * @param {import('node:test').TestContext} t  after which the process is ended
 * @param {string} name  file in examples/
 * @param {string[]} [args]
 */
function startExample (t, name, { args = [], env = {} } = {}) {
  const child = spawn(process.execPath, [path.join(__dirname, '../../examples', name), ...args], {
    env: { ...process.env, PORT: '0', LOOPSCOPE_DIR: makeScratch(t), ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const example = new Example(child)
  t.after(() => example.kill('SIGKILL'))
  return example
}

class Example extends EventEmitter {
  #child
  output = ''

  constructor (child) {
    super()
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', text => {
        this.output += text
        this.emit('output')
      })
    }
    /** Resolves with the exit code, or the signal that ended it. */
    this.ended = once(child, 'close').then(([code, signal]) => signal ?? code)
  }

  get #isRunning () { return this.#child.exitCode === null && this.#child.signalCode === null }

  kill (signal) {
    if (this.#isRunning) this.#child.kill(signal)
  }

  async address () {
    const [address] = await this.says(/http:\/\/127\.0\.0\.1:\d+/)
    return address
  }

  /** Waits until the output matches, however long that takes; an example that ended meanwhile is an error. */
  async says (pattern) {
    for (let match = pattern.exec(this.output); ; match = pattern.exec(this.output)) {
      if (match) return match
      if (!this.#isRunning) throw new Error(`ended without ${pattern}: ${this.output}`)
      await Promise.race([once(this, 'output'), this.ended])
    }
  }

  /** The pino lines so far, parsed. */
  records () {
    return this.output.split('\n').filter(line => line.startsWith('{') && line.endsWith('}')).map(line => JSON.parse(line))
  }
}

/** Asks until the example has logged what is wanted: the recorder starts a moment after the application. */
async function askUntilLogged (example, url, matches, request = {}) {
  for (;;) {
    await (await fetch(url, request)).text()
    const found = example.records().find(matches)
    if (found) return found
  }
}

/** What a route of the admin surface answers, by the address and the token in the log. */
async function askAdmin (example, route) {
  const [, address, token] = await example.says(/"url":"([^"]+)#token=([^"]+)"/)
  const answer = await fetch(address + route, { headers: { authorization: `Bearer ${token}` } })
  return answer.json()
}

module.exports = { startExample, askUntilLogged, askAdmin }
