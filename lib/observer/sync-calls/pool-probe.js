'use strict'

// How long a task waits for a thread of libuv's pool, which all asynchronous fs, crypto, zlib and dns.lookup work of the process shares. It
// is asked with a task that takes no time itself, and only while the process is at work. The waits of the last minute are kept. It lives in
// the observer thread, whose loop is not the one that may be late.

const fs = require('node:fs')
const { clearInterval, intervalByTimer, performance, setInterval } = require('../../base/timers')
const { guarded } = require('../../base/guard')
const { monotonicMs } = require('../../base/monotonic')

/** @import { StartInterval } from '../../base/timers' */

const PERIOD_MS = 1000
// The probe's own task wakes a thread of the pool: an idle process is left alone.
const MIN_BUSY_SHARE = 0.05
// A free pool answers within a fraction of a millisecond. Below this the wait is not what a request feels.
const QUEUED_MS = 50
// Where processors are short a task waits as well, though threads of the pool are free. So does this thread then, which looks this often
// how late it is itself; and that happens to one task or other, while a full pool keeps every one waiting.
const LOOK_MS = 10
const TASKS = 3 // one after the other
// The thread's own: it could be read before.
const ANY_FILE = process.argv[1] ?? process.execPath
const KEPT = 60 // a minute
const HOUR_MS = 3_600_000
const POOL_LINK = 'https://nodejs.org/api/cli.html#uv_threadpool_sizesize'

class PoolProbe {
  #onQueued
  #interval
  /** @type {(() => void) | undefined} */
  #end
  #usage = process.cpuUsage()
  #isAsking = false

  /**
   * @param {object} parts
   * @param {(waitedMs: number) => void} parts.onQueued  a task waited longer than a free pool makes it
   * @param {StartInterval} [parts.interval]
   */
  constructor ({ onQueued, interval = intervalByTimer }) {
    this.#onQueued = onQueued
    this.#interval = interval
  }

  get running () { return this.#end !== undefined }

  start () {
    this.#end ??= this.#interval(PERIOD_MS, () => this.#tick())
  }

  stop () {
    this.#end?.()
    this.#end = undefined
  }

  #tick () {
    const before = this.#usage
    const { user, system } = this.#usage = process.cpuUsage()
    if ((user + system - before.user - before.system) / 1e3 >= PERIOD_MS * MIN_BUSY_SHARE && !this.#isAsking) this.#ask()
  }

  /** @param {number} [longestMs]  that tasks before this one waited */
  #ask (longestMs = 0, task = 1) {
    this.#isAsking = true
    measureWait(guarded((waitedMs, lateMs) => {
      const maxMs = Math.max(longestMs, waitedMs)
      const isQueued = waitedMs - lateMs >= QUEUED_MS
      if (isQueued && task < TASKS) return this.#ask(maxMs, task + 1)
      this.#isAsking = false
      if (isQueued) this.#onQueued(maxMs)
    }))
  }
}

/** @param {(waitedMs: number, lateMs: number) => void} onDone  lateMs: how much of the wait this thread was not run, or at work itself */
function measureWait (onDone) {
  const fromMs = performance.now()
  let lookedMs = fromMs
  let lateMs = 0
  const look = () => {
    const nowMs = performance.now()
    lateMs += Math.max(0, nowMs - lookedMs - LOOK_MS)
    lookedMs = nowMs
  }
  const timer = setInterval(guarded(look), LOOK_MS).unref()
  fs.stat(ANY_FILE, guarded(() => {
    clearInterval(timer)
    look()
    onDone(lookedMs - fromMs, lateMs)
  }))
}

/**
 * The tasks that had to wait: noted as they come, which is once a second at most, counted, and logged once an hour. Those of the last minute are
 * kept.
 */
class PoolWaits {
  #poolSize
  #warn
  #now
  /** @type {{ atMs: number, waitedMs: number }[]} */
  #waits = []
  #queued = 0
  #maxWaitMs = 0
  #loggedAtMs = -Infinity

  /**
   * @param {object} parts
   * @param {number} parts.poolSize
   * @param {(fields: object, message: string) => void} parts.warn
   * @param {() => number} [parts.now]  milliseconds, monotonic
   */
  constructor ({ poolSize, warn, now = monotonicMs }) {
    this.#poolSize = poolSize
    this.#warn = warn
    this.#now = now
  }

  /** @param {number} waitedMs */
  note (waitedMs) {
    const atMs = this.#now()
    this.#waits.push({ atMs, waitedMs })
    if (this.#waits.length > KEPT) this.#waits.shift()
    this.#queued++
    this.#maxWaitMs = Math.max(this.#maxWaitMs, waitedMs)
    if (atMs - this.#loggedAtMs >= HOUR_MS) this.#log(atMs, Math.round(waitedMs))
  }

  /**
   * @param {number} atMs
   * @param {number} waitedMs
   */
  #log (atMs, waitedMs) {
    this.#loggedAtMs = atMs
    const size = this.#poolSize
    this.#warn({ pool: { waitedMs, size } },
      `libuv's thread pool is full: a task waited ${waitedMs} ms for one of its ${size} threads. Asynchronous fs, crypto, ` +
      `zlib and dns.lookup share them; set UV_THREADPOOL_SIZE (at most 1024) before Node starts, or do less at once: ${POOL_LINK}`)
  }

  /** @param {number} lastMs  how far to look back, at most a minute */
  read (lastMs) {
    const fromMs = this.#now() - lastMs
    const recent = this.#waits.filter(({ atMs }) => atMs >= fromMs)
    return { queued: recent.length, maxWaitMs: Math.round(Math.max(0, ...recent.map(({ waitedMs }) => waitedMs))) }
  }

  /** Since start. */
  counts () {
    return { queued: this.#queued, maxWaitMs: Math.round(this.#maxWaitMs) }
  }
}

module.exports = { PoolProbe, PoolWaits }
