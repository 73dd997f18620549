'use strict'

// Measures how long a task waits for a thread of libuv's pool, which all asynchronous fs, crypto, zlib and dns.lookup work of the process shares.
// The probe is a task that takes no time itself, and it runs only while the process is busy. The waits of the last minute are kept. It runs in
// the observer thread, whose loop is not the one that may be late.

const fs = require('node:fs')
const { clearInterval, intervalByTimer, performance, setInterval } = require('../../base/timers')
const { guarded } = require('../../base/guard')
const { monotonicMs } = require('../../base/monotonic')

/** @import { StartInterval } from '../../base/timers' */

const PERIOD_MS = 1000
// The probe's own task wakes a thread of the pool, so an idle process is not probed.
const MIN_BUSY_SHARE = 0.05
// A free pool answers within a fraction of a millisecond. A wait below this is not felt by requests.
const QUEUED_MS = 50
// Under CPU contention a task waits although threads of the pool are free. But then this thread is late as well, which it checks this often;
// and only some tasks wait, while a full pool delays all of them.
const CHECK_MS = 10
const TASKS = 3 // one after the other
// This thread's own file: it is known to be readable.
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
  /** The task that waits, if one does. @type {Waiting | null} */
  #waiting = null

  /**
   * @param {object} parts
   * @param {(waitedMs: number) => void} parts.onQueued  a task waited longer than it does with a free pool
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
    if (this.#waiting !== null) return this.#notePending(this.#waiting)
    if ((user + system - before.user - before.system) / 1e3 >= PERIOD_MS * MIN_BUSY_SHARE) this.#ask()
  }

  /** A task that waits longer than a second is counted in each: with a long queue, three in a row take minutes. @param {Waiting} waiting */
  #notePending (waiting) {
    const { waitedMs, lateMs } = waiting.read()
    if (waitedMs - lateMs < PERIOD_MS) return
    waiting.isNoted = true
    this.#onQueued(waitedMs)
  }

  /** @param {number} [longestMs]  the longest wait of the tasks before this one */
  #ask (longestMs = 0, task = 1) {
    const waiting = this.#waiting = new Waiting()
    waiting.start(guarded((waitedMs, lateMs) => {
      this.#waiting = null
      if (waiting.isNoted) return
      const maxMs = Math.max(longestMs, waitedMs)
      const isQueued = waitedMs - lateMs >= QUEUED_MS
      if (isQueued && task < TASKS) return this.#ask(maxMs, task + 1)
      if (isQueued) this.#onQueued(maxMs)
    }))
  }
}

/** A task that was put into the pool. */
class Waiting {
  isNoted = false
  #fromMs = performance.now()
  #lookedMs = this.#fromMs
  #lateMs = 0

  /** @param {(waitedMs: number, lateMs: number) => void} onDone */
  start (onDone) {
    const timer = setInterval(guarded(() => this.#look()), CHECK_MS).unref()
    fs.stat(ANY_FILE, guarded(() => {
      clearInterval(timer)
      this.#look()
      const { waitedMs, lateMs } = this.read()
      onDone(waitedMs, lateMs)
    }))
  }

  /** lateMs: the part of the wait in which this thread got no CPU time or was busy. */
  read () {
    return { waitedMs: this.#lookedMs - this.#fromMs, lateMs: this.#lateMs }
  }

  #look () {
    const nowMs = performance.now()
    this.#lateMs += Math.max(0, nowMs - this.#lookedMs - CHECK_MS)
    this.#lookedMs = nowMs
  }
}

/** Counts the tasks that had to wait: at most one a second. It logs one an hour and keeps those of the last minute. */
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

  /** @param {number} atMs @param {number} waitedMs */
  #log (atMs, waitedMs) {
    this.#loggedAtMs = atMs
    const size = this.#poolSize
    this.#warn({ pool: { waitedMs, size } },
      `libuv's thread pool is full: a task waited ${waitedMs} ms for one of its ${size} threads. Asynchronous fs, crypto, ` +
      `zlib and dns.lookup share them; set UV_THREADPOOL_SIZE (at most 1024) before Node starts, or do less at once: ${POOL_LINK}`)
  }

  /** @param {number} lastMs  how far to check back, at most a minute */
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
