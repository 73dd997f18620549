'use strict'

// Watches one worker thread: keeps its profiler running in windows, turns the windows into figures, and explains its stalls, one window at a
// time.

const { randomUUID } = require('node:crypto')
const { guarded, unattended } = require('../../base/guard')
const { monotonicMs, toEpochMs } = require('../../base/monotonic')
const { OWN_FOLDER } = require('../../base/own-files')
const { describeFile } = require('../../formats/profile/frame')
const { withoutOwnFrames } = require('../../formats/profile/own-frames')
const { inOrder, slice } = require('../recorder/window')
const { findCulprit } = require('../stalls/culprit/find-culprit')
const { codeSampleCount, judgeCause, shareSampled, acceptCulprit } = require('../stalls/judge-cause')
const { withIdleWaits } = require('./idle-waits')
const { busyStretches, ThreadRecord, INTERVAL_MICROS, microsOf } = require('./thread-record')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { SourceLines } from '../stalls/culprit/source-lines' */
/** @import { WholeStretch } from './thread-record' */
/** @import { ThreadSession } from './thread-sessions' */
/** @import { ThreadStall } from './thread-watch' */

// Explained stalls per window; the others are only counted. A busy pool has dozens in five seconds.
const MAX_EXPLAINED = 3
const MIN_NAMED_MICROS = 50e3 // in less time, what ran is chance
// The system's figures for one thread of many are not available.
const UNKNOWN_SYSTEM = Object.freeze({ cpuMs: null, runQueueMs: null, throttledMs: null, observerLateMs: null })
const SOURCE = `${OWN_FOLDER}observer/threads/watched-thread.js` // with this name it counts as a frame of loopscope's in profiles

/**
 * @typedef {object} Watching
 * @property {number} thresholdMs
 * @property {{ appRoot: string, source: SourceLines }} context
 * @property {(profile: CpuProfile) => Promise<CpuProfile>} toOriginal
 * @property {(kind: string, had: { busyMs: number, stalls: number }) => void} onTime
 * @property {(stall: ThreadStall) => void} onStall
 */

class WatchedThread {
  #session
  #watching
  #record
  #sampler
  /** Windows are read one after the other. @type {Promise<void>} */
  #turn = Promise.resolve()

  /** @param {ThreadSession} session @param {Watching} watching */
  constructor (session, watching) {
    this.#session = session
    this.#watching = watching
    this.#record = new ThreadRecord(watching)
    this.#sampler = new ThreadSampler(session, guarded(window => this.#add(window)))
  }

  get hasEnded () { return this.#session.hasEnded }
  get openedMs () { return this.#sampler.openedMs }

  start () {
    return this.#sampler.start()
  }

  /** @returns {Promise<void>} resolves when everything up to now is read, if the thread answers */
  async rotate () {
    await this.#sampler.rotate()
    await this.#turn
  }

  stop () {
    this.#sampler.stop()
    this.#inTurn(() => this.#explain(this.#record.end()))
  }

  read () {
    const { id, name, url } = this.#session
    return { id, name, file: describeFile(url, this.#watching.context), problem: this.#sampler.problem, ...this.#record.read() }
  }

  /** @param {CpuProfile} window */
  #add (window) {
    this.#inTurn(async () => {
      const clean = withIdleWaits(withoutOwnFrames(inOrder(window)), this.#watching.context.source)
      const time = busyStretches(clean)
      const isNamed = time.busyMicros >= MIN_NAMED_MICROS
      const culprit = isNamed ? findCulprit(await this.#watching.toOriginal(clean), this.#watching.context).culprit : null
      const stalls = this.#record.add(clean, time, culprit)
      this.#watching.onTime(this.#session.kind, { busyMs: time.busyMicros / 1e3, stalls: stalls.length })
      await this.#explain(stalls)
    })
  }

  /** @param {WholeStretch[]} stalls */
  async #explain (stalls) {
    const longest = [...stalls].sort((left, right) => microsOf(right) - microsOf(left)).slice(0, MAX_EXPLAINED)
    for (const stretch of stalls.filter(stall => longest.includes(stall))) {
      const { id, name } = this.#session
      this.#watching.onStall({ thread: { id, name }, ...await explainStretch(stretch, this.#watching) })
    }
  }

  /** @param {() => Promise<void>} work */
  #inTurn (work) {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    unattended(done)
  }
}

/**
 * Explains what held a thread for a stretch of time: cause and culprit, from its samples alone.
 * @param {WholeStretch} stretch
 * @param {Pick<Watching, 'thresholdMs' | 'context' | 'toOriginal'>} about
 * @returns {Promise<Omit<ThreadStall, 'thread'>>}
 */
async function explainStretch (stretch, { thresholdMs, context, toOriginal }) {
  const { longest: { window, fromMicros, toMicros } } = stretch
  const part = slice(window, fromMicros, toMicros)
  const found = findCulprit(await toOriginal(part), context)
  const { stack, codeMs, gcMs } = found
  const durationMs = (toMicros - fromMicros) / 1e3
  const sampledShare = shareSampled(part, durationMs, 1e6 / INTERVAL_MICROS)
  const cause = judgeCause({ durationMs, thresholdMs, sampledShare }, { ...UNKNOWN_SYSTEM, codeMs, gcMs })
  return {
    at: Math.round(toEpochMs(stretch.fromMicros)),
    durationMs: Math.round(microsOf(stretch) / 1e3),
    cause,
    culprit: acceptCulprit(cause, found, codeSampleCount(part)),
    stack
  }
}

/**
 * Keeps the profiler of a worker thread running, in windows. The next window opens before the last one ends: then V8 has nothing to set up. A cold
 * profiler takes tens of milliseconds in the thread (measured on Node 20 to 26), a warm one a tenth of a millisecond.
 */
class ThreadSampler {
  #thread
  #onWindow
  #title = `loopscope:${randomUUID()}:` // every session with a thread receives all its profiles
  #opened = 0
  #isAsked = false
  #isStopped = false
  /** When the open window was requested. */
  openedMs = -Infinity
  /** Why there are no windows. @type {string | null} */
  problem = null

  /**
   * @param {Pick<ThreadSession, 'post' | 'listen' | 'hasEnded'>} thread
   * @param {(window: CpuProfile) => void} onWindow
   */
  constructor (thread, onWindow) {
    this.#thread = thread
    this.#onWindow = onWindow
  }

  start () {
    this.#thread.listen('Profiler.consoleProfileFinished', ({ title = '', profile }) => {
      if (!this.#isStopped && title.startsWith(this.#title)) this.#onWindow(profile)
    })
    return this.#ask(async () => {
      await this.#thread.post('Profiler.enable')
      // If another profile of the thread is being recorded, that one's interval remains.
      await this.#thread.post('Profiler.setSamplingInterval', { interval: INTERVAL_MICROS }).catch(() => {})
      await this.#call(this.#open())
    })
  }

  /** Ends the window in the middle of the thread's JavaScript; if it is in a native call, after that. */
  rotate () {
    if (this.#isAsked || this.#isStopped) return Promise.resolve()
    return this.#ask(() => {
      const end = this.#end()
      return this.#call(`${this.#open()};${end}`)
    })
  }

  stop () {
    if (this.#opened > 0 && !this.#thread.hasEnded) this.#call(this.#end()).catch(() => {}) // closing the session ends it anyway
    this.#isStopped = true
  }

  /** @param {() => Promise<void>} work */
  async #ask (work) {
    this.#isAsked = true
    this.openedMs = monotonicMs()
    try {
      await work()
      this.problem = null
    } catch (error) {
      this.problem = /** @type {Error} */ (error).message
    } finally {
      this.#isAsked = false
    }
  }

  #open () {
    return `console.profile(${JSON.stringify(this.#title + ++this.#opened)})`
  }

  #end () {
    return `console.profileEnd(${JSON.stringify(this.#title + this.#opened)})`
  }

  /** @param {string} code */
  async #call (code) {
    const { exceptionDetails } = await this.#thread.post('Runtime.evaluate', { expression: `${code}\n//# sourceURL=${SOURCE}`, silent: true })
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
  }
}

module.exports = { WatchedThread }
