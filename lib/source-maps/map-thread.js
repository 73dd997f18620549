'use strict'

// The thread that reads source maps: one of tens of megabytes takes time and memory, and the observer has to watch the main thread. One thread
// answers all requests and caches source maps; it is ended when it has been idle for a while, which frees its memory, and when a request takes too
// much time or memory.

const { Worker } = require('node:worker_threads')
const { Promise } = require('../base/globals')
const { guarded } = require('../base/guard')
const { monotonicMs } = require('../base/monotonic')
const { threadFile, threadFlags } = require('../base/own-files')
const { clearTimeout, setTimeout } = require('../base/timers')
const { readMemoryRoom } = require('../base/system/memory-room')

/** @import { Answer, Question } from './answer' */

const MAX_MS = 20_000
const MAX_HEAP_MB = 800 // the names of a map of 100 MB, and a little
const MEMORY_SHARE = 0.5 // of what is free: the application goes on allocating meanwhile
const IDLE_MS = 120_000

/** @typedef {{ resolve: (answers: Answer[]) => void, reject: (error: Error) => void, timer: NodeJS.Timeout, fromMs: number }} Waiting */

class MapThread {
  #options
  /** @type {Worker | null} */
  #worker = null
  /** @type {Waiting | null} */
  #waiting = null
  /** @type {NodeJS.Timeout | undefined} */
  #idleTimer
  /** The scripts whose maps the thread has. @type {Set<string>} */
  kept = new Set()
  /** The system's id of the running thread; null if unknown, or if none runs. @type {number | null} */
  threadPid = null

  /**
   * @param {object} [options]
   * @param {string} [options.observerFile]  option
   * @param {number} [options.maxMs]   of a question
   * @param {number} [options.idleMs]  without one, after which the thread ends
   * @param {(cpuMs: number) => void} [options.onCpu]  processor time that the thread had since the last time
   */
  constructor (options = {}) {
    this.#options = options
  }

  get running () { return this.#worker !== null }

  /**
   * One question at a time.
   * @param {Pick<Question, 'scripts' | 'appRoot'>} question
   * @returns {Promise<Answer[]>} rejects when there is none
   */
  ask = question => new Promise((resolve, reject) => {
    clearTimeout(this.#idleTimer)
    const worker = this.#worker ??= this.#start()
    const timer = setTimeout(guarded(() => worker.terminate()), this.#options.maxMs ?? MAX_MS)
    this.#waiting = { resolve, reject, timer, fromMs: monotonicMs() }
    worker.ref()
    worker.postMessage({ ...question, mayBytes: readMemoryRoom().freeBytes * MEMORY_SHARE })
  })

  #start () {
    const worker = new Worker(threadFile(this.#options.observerFile), {
      name: 'loopscope source maps',
      workerData: { readsSourceMaps: true },
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      execArgv: threadFlags(),
      env: {},
      stdout: true,
      stderr: true
    })
    worker.on('message', guarded(({ answers, kept, cpuMs, threadPid }) => {
      this.kept = new Set(kept)
      this.threadPid = threadPid
      this.#options.onCpu?.(cpuMs)
      this.#settle(({ resolve }) => resolve(answers))
      // Kept while it is wanted, and never what keeps a process alive.
      worker.unref()
      this.#idleTimer = setTimeout(guarded(() => worker.terminate()), this.#options.idleMs ?? IDLE_MS)
      this.#idleTimer.unref()
    }))
    worker.on('error', guarded(error => this.#fail(error)))
    worker.on('exit', guarded(() => {
      if (this.#worker === worker) this.#forget()
      this.#fail(new Error('the thread ended without an answer'))
    }))
    return worker
  }

  #forget () {
    this.#worker = null
    this.threadPid = null
    this.kept = new Set()
  }

  /** @param {Error} error */
  #fail (error) {
    this.#settle(({ reject, fromMs }) => {
      this.#options.onCpu?.(monotonicMs() - fromMs) // what it had cannot be asked for any more
      reject(error)
    })
  }

  /** @param {(waiting: Waiting) => void} how */
  #settle (how) {
    const waiting = this.#waiting
    if (waiting === null) return
    clearTimeout(waiting.timer)
    this.#waiting = null
    how(waiting)
  }
}

module.exports = { MapThread }
