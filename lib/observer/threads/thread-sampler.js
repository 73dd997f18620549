'use strict'

// Keeps the profiler of one worker thread running, in windows. The next one is opened before the last one is ended: V8 then has nothing to set
// up, which takes a cold profiler tens of milliseconds in the thread (measured on Node 20 to 26), and a warm one a tenth of one.

const { randomUUID } = require('node:crypto')
const { monotonicMs } = require('../../shared/base/monotonic')
const { OWN_FOLDER } = require('../../shared/base/own-files')
const { INTERVAL_MICROS } = require('./busy-stretches')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { ThreadSession } from './thread-sessions' */

const SOURCE = `${OWN_FOLDER}observer/threads/thread-sampler.js` // the name makes it a frame of ours in profiles

/**
 * @param {Pick<ThreadSession, 'post' | 'listen' | 'hasEnded'>} thread
 * @param {(window: CpuProfile) => void} onWindow
 */
function createThreadSampler (thread, onWindow) {
  return new ThreadSampler(thread, onWindow)
}

class ThreadSampler {
  #thread
  #onWindow
  #title = `loopscope:${randomUUID()}:` // profiles of a thread are of all sessions with it
  #opened = 0
  #isAsked = false
  #isStopped = false
  /** When the open window was asked for. */
  openedMs = -Infinity
  /** Why nothing comes. @type {string | null} */
  problem = null

  /** @param {Parameters<typeof createThreadSampler>} parts */
  constructor (...[thread, onWindow]) {
    this.#thread = thread
    this.#onWindow = onWindow
  }

  start () {
    this.#thread.listen('Profiler.consoleProfileFinished', ({ title = '', profile }) => {
      if (!this.#isStopped && title.startsWith(this.#title)) this.#onWindow(profile)
    })
    return this.#ask(async () => {
      await this.#thread.post('Profiler.enable')
      // Where another profile of the thread is being made its interval holds.
      await this.#thread.post('Profiler.setSamplingInterval', { interval: INTERVAL_MICROS }).catch(() => {})
      await this.#call(this.#open())
    })
  }

  /** Ends the window, in the middle of the thread's JavaScript; after the native call where it is in one. */
  rotate () {
    if (this.#isAsked || this.#isStopped) return Promise.resolve()
    return this.#ask(() => {
      const end = this.#end()
      return this.#call(`${this.#open()};${end}`)
    })
  }

  stop () {
    if (this.#opened > 0 && !this.#thread.hasEnded) this.#call(this.#end()).catch(() => {}) // the session is closed with it
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

module.exports = { createThreadSampler }
