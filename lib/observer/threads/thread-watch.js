'use strict'

// Watches the worker threads of the process while option threads is on and the recorder records: opens a session with each through the session
// with the main thread, keeps its profiler running, and computes the figures of its windows. While a debugger is connected, it
// releases all of them.

const { setTimeout: sleep } = require('node:timers/promises')
const { SingleFlight } = require('../../base/single-flight')
const { intervalByTimer } = require('../../base/timers')
const { unattended } = require('../../base/guard')
const { monotonicMs } = require('../../base/monotonic')
const { createSourceLines } = require('../stalls/culprit/source-lines')

/** @import { CodeFrame, Stall } from '../../../types/diagnostics' */
/** @import { CpuProfile } from '../../../types/profile' */
/** @import { StartInterval } from '../../base/timers' */
/** @import { ThreadTimes } from '../counts' */
/** @import { ThreadFigures } from './thread-record' */
/** @import { ThreadSession, ThreadSessions } from './thread-sessions' */
/** @import { WatchedThread } from './watched-thread' */

/** @typedef {Pick<Stall, 'at' | 'durationMs' | 'cause' | 'culprit'> & { thread: { id: number, name: string }, stack: CodeFrame[] }} ThreadStall */

/**
 * @typedef {object} ThreadsReading
 * @property {string | null} off      why no threads are watched
 * @property {number} unwatched       number of threads beyond the limit, or too young
 * @property {(ThreadFigures & { id: number, name: string, file: string, problem: string | null })[]} threads  busiest first
 * @property {ThreadStall[]} stalls   newest first
 */

const TICK_MS = 1000
const WINDOW_MS = 5000
// The first profile of a thread stops it for tens of milliseconds: a short-lived thread is not profiled.
const MIN_AGE_MS = 1000
const MAX_THREADS = 32
const MAX_STALLS = 100
const MAX_BUSIEST = 4
const MIN_BUSY_MS = 100
const REST_MS = 500
const MAX_KINDS = 20 // of names in the metrics: some programs number the names of their threads
const OTHERS = '_other'
const ANSWER_MS = 300 // of thread names in the metrics: some programs number their threads

class ThreadWatch {
  #parts
  #watching
  /** @type {Awaited<ReturnType<ThreadSessions['open']>> | null} */
  #sessions = null
  /** All live threads, with the time when they were found. @type {Map<ThreadSession, number>} */
  #live = new Map()
  /** @type {Map<ThreadSession, WatchedThread>} */
  #watched = new Map()
  /** Newest first. @type {ThreadStall[]} */
  #stalls = []
  /** Since the start, by the name of the thread. @type {Map<string, ThreadTimes>} */
  #times = new Map()
  /** @type {(() => void) | undefined} */
  #end
  #isTurning = false
  #reading = new SingleFlight({ take: () => this.#read(), restMs: () => REST_MS })

  /**
   * @param {object} parts
   * @param {{ threads: boolean, stallThresholdMs: number, appRoot: string }} parts.settings
   * @param {{ canProbe: boolean, debuggerReason (): string | null, range (): { offReason: string | null }, threadSessions: Pick<ThreadSessions, 'open'> }} parts.recorder
   * @param {{ profile (profile: CpuProfile): Promise<CpuProfile> }} parts.sourceMaps
   * @param {StartInterval} [parts.interval]
   */
  constructor (parts) {
    const { settings: { stallThresholdMs, appRoot }, sourceMaps } = parts
    this.#parts = parts
    this.#watching = {
      thresholdMs: stallThresholdMs,
      context: { appRoot, source: createSourceLines({ appRoot }) },
      toOriginal: (/** @type {CpuProfile} */ profile) => sourceMaps.profile(profile),
      onTime: (/** @type {string} */ kind, /** @type {{ busyMs: number, stalls: number }} */ had) => this.#note(kind, had),
      onStall: (/** @type {ThreadStall} */ stall) => { this.#stalls = [stall, ...this.#stalls].slice(0, MAX_STALLS) }
    }
  }

  get running () { return this.#end !== undefined }

  start () {
    if (this.running || !this.#parts.settings.threads) return
    const { interval = intervalByTimer } = this.#parts
    this.#end = interval(TICK_MS, () => unattended(this.#tick()))
  }

  stop () {
    this.#end?.()
    this.#end = undefined
    unattended(this.#close())
  }

  /** The figures up to now, as far as the threads answer in time. */
  read () {
    return this.#reading.share()
  }

  /** @returns {Promise<ThreadsReading>} */
  async #read () {
    const stop = new AbortController()
    const all = Promise.all([...this.#watched.values()].map(thread => thread.rotate())).catch(() => {})
    await Promise.race([all, sleep(ANSWER_MS, undefined, { signal: stop.signal }).catch(() => {})])
    stop.abort()
    return {
      off: this.#offReason(),
      unwatched: [...this.#live.keys()].filter(thread => !thread.hasEnded && !this.#watched.has(thread)).length,
      threads: this.known(),
      stalls: [...this.#stalls].sort((left, right) => right.at - left.at)
    }
  }

  /** The figures up to each thread's last window, busiest first: sends no request to a thread. */
  known () {
    const threads = [...this.#watched.values()].filter(({ hasEnded }) => !hasEnded).map(thread => thread.read())
    return threads.sort((left, right) => right.busyMs - left.busyMs || left.id - right.id)
  }

  /** The busiest threads. */
  busiest () {
    const busy = this.known().filter(({ busyMs }) => busyMs >= MIN_BUSY_MS)
    return busy.slice(0, MAX_BUSIEST).map(({ name, busyMs, top }) => ({ name, busyMs, top }))
  }

  #offReason () {
    if (!this.#parts.settings.threads) return 'option threads is false'
    const { recorder } = this.#parts
    if (recorder.range().offReason !== null) return recorder.range().offReason
    return recorder.canProbe ? recorder.debuggerReason() : 'there is no inspector session with the main thread'
  }

  async #tick () {
    if (this.#isTurning) return
    this.#isTurning = true
    try {
      if (this.#offReason() === null) await this.#turn()
      else await this.#close()
    } finally {
      this.#isTurning = false
    }
  }

  async #turn () {
    this.#forgetEnded()
    if (this.#sessions?.isOpen !== true) this.#sessions = await this.#open().catch(() => null) // the next turn tries again
    const nowMs = monotonicMs()
    for (const [session, sinceMs] of this.#live) {
      if (this.#watched.size >= MAX_THREADS) break
      if (nowMs - sinceMs >= MIN_AGE_MS && !this.#watched.has(session)) this.#begin(session)
    }
    for (const thread of this.#watched.values()) if (nowMs - thread.openedMs >= WINDOW_MS) unattended(thread.rotate())
  }

  #open () {
    return this.#parts.recorder.threadSessions.open(thread => { this.#live.set(thread, monotonicMs()) })
  }

  /** @param {ThreadSession} session */
  #begin (session) {
    const thread = new (require('./watched-thread').WatchedThread)(session, this.#watching) // loaded with the first worker thread
    this.#watched.set(session, thread)
    unattended(thread.start())
  }

  #forgetEnded () {
    for (const session of this.#live.keys()) {
      if (!session.hasEnded) continue
      this.#watched.get(session)?.stop()
      this.#watched.delete(session)
      this.#live.delete(session)
    }
  }

  async #close () {
    for (const thread of this.#watched.values()) thread.stop()
    this.#watched.clear()
    this.#live.clear()
    const sessions = this.#sessions
    this.#sessions = null
    await sessions?.close()
  }

  /** Busy time and stalls of threads since the start, by thread name. */
  times () {
    return [...this.#times.values()]
  }

  /**
   * @param {string} name  of the thread, else its file
   * @param {{ busyMs: number, stalls: number }} had
   */
  #note (name, { busyMs, stalls }) {
    if (busyMs === 0 && stalls === 0) return
    const kind = this.#times.has(name) || this.#times.size < MAX_KINDS ? name : OTHERS
    const known = this.#times.get(kind) ?? { kind, busyMs: 0, stalls: 0 }
    this.#times.set(kind, { kind, busyMs: known.busyMs + busyMs, stalls: known.stalls + stalls })
  }
}

module.exports = { ThreadWatch }
