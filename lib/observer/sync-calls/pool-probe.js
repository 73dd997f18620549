'use strict'

// How long a task waits for a thread of libuv's pool, which all asynchronous fs, crypto, zlib and dns.lookup work of the
// process shares. It is asked with a task that takes no time itself, and only while the process is at work.
// It lives in the observer thread, whose loop is not the one that may be late.

const fs = require('node:fs')
const { performance } = require('node:perf_hooks')
const { guarded } = require('../../shared/base/guard')

const PERIOD_MS = 1000
// The probe's own task wakes a thread of the pool: an idle process is left alone.
const MIN_BUSY_SHARE = 0.05
// A free pool answers within a fraction of a millisecond. Below this the wait is not what a request feels.
const QUEUED_MS = 50
// The thread's own: it could be read before.
const ANY_FILE = process.argv[1] ?? process.execPath

/**
 * @param {object} parts
 * @param {(waitedMs: number) => void} parts.onQueued  a task waited longer than a free pool makes it
 */
function createPoolProbe (parts) {
  return new PoolProbe(parts.onQueued)
}

class PoolProbe {
  #onQueued
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #usage = process.cpuUsage()
  #isAsking = false

  /** @param {(waitedMs: number) => void} onQueued */
  constructor (onQueued) {
    this.#onQueued = onQueued
  }

  get running () { return this.#timer !== undefined }

  start () {
    if (!this.running) this.#timer = setInterval(guarded(() => this.#tick()), PERIOD_MS).unref()
  }

  stop () {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #tick () {
    const { user, system } = process.cpuUsage(this.#usage)
    this.#usage = process.cpuUsage()
    if ((user + system) / 1e3 >= PERIOD_MS * MIN_BUSY_SHARE && !this.#isAsking) this.#ask()
  }

  #ask () {
    this.#isAsking = true
    const fromMs = performance.now()
    fs.stat(ANY_FILE, guarded(() => {
      this.#isAsking = false
      const waitedMs = performance.now() - fromMs
      if (waitedMs >= QUEUED_MS) this.#onQueued(waitedMs)
    }))
  }
}

module.exports = { createPoolProbe }
