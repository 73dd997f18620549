'use strict'

// The main thread's client of the observer: starts the thread, sends it requests, and stops it without a trace.

const { Worker } = require('node:worker_threads')
const { Channel } = require('./channel')
const { TO_OBSERVER } = require('./messages')
const { errors, fromPlain } = require('../base/errors')
const { Promise } = require('../base/globals')
const { guarded } = require('../base/guard')
const { threadFile, threadFlags } = require('../base/own-files')
const { OTHER_RUNTIME } = require('../base/system/runtime')
const { createExitHooks } = require('./exit-hooks')

/** @import { Answer, AskNames, Handlers, Params, Question, Read, TellNames } from './channel' */
/** @import { ObserverReadings, ObserverSettings, ToMain, ToObserver } from './messages' */
/** @import { SharedState } from './shared-state' */

// Beyond this time at exit, Node's message about the debugger is the lesser evil. Measured need: 1-6 ms.
const MAX_RELEASE_MS = 200
// The last recording is not worth more: a few milliseconds are needed, most of them for the disk.
const MAX_KEEP_MS = 200
// V8 lets the young generation of a thread that starts grow to tens of megabytes, and keeps them: 4 MB more after a load than with this limit. Its price
// is more collections, of half a millisecond each.
const YOUNG_GENERATION_MB = 3

/**
 * @typedef {object} ObserverParts
 * @property {SharedState} state
 * @property {Omit<ObserverSettings, 'state'>} settings
 * @property {Omit<Handlers<ToMain>, 'ready' | 'fault'>} handlers  for the thread's messages and requests
 * @property {(error: Error) => void} onFault
 * @property {() => void} onMessage  called first in the callback of each message of the thread
 * @property {(reason: unknown) => void} onLost  the thread has ended, or could not be created
 * @property {() => boolean} onEnd  called at the end of the process; returns whether something was sent that the thread must store
 */

class ObserverClient {
  #parts
  /** @type {Worker | undefined} */
  #worker
  /** @type {Channel<ToObserver, ToMain> | undefined} */
  #channel
  #starts = 0
  #activeMs = { before: 0, now: 0 } // of former threads, and of this one
  #holds = 0
  #ready = makeReady()
  #onExit = guarded(() => this.#end())
  #exitHooks = createExitHooks({ release: guarded(() => this.#end()), withdraw: guarded(() => this.#parts.state.withdrawRelease()) })

  /** @param {ObserverParts} parts */
  constructor (parts) {
    this.#parts = parts
  }

  get running () { return this.#worker !== undefined }

  /** @param {Worker} worker */
  isOwn (worker) { return worker === this.#worker }

  /** Busy time of this thread and of those before it. */
  get activeSeconds () {
    if (this.#worker !== undefined && OTHER_RUNTIME === null) this.#activeMs.now = this.#worker.performance.eventLoopUtilization().active
    return (this.#activeMs.before + this.#activeMs.now) / 1e3
  }

  /** Resolves when the thread runs; sessionError: why there is no inspector session. */
  get ready () { return this.#ready.promise }

  /**
   * Rejects `ready` where threads are forbidden (the permission model), and in a bundle without the thread's file. It can be started
   * again when the thread is lost.
   */
  start () {
    if (this.running) return
    if (this.#starts++ > 0) this.#ready = makeReady()
    try {
      this.#listen(this.#makeWorker())
    } catch (error) {
      const { code, message } = /** @type {NodeJS.ErrnoException} */ (error)
      this.#ready.reject(code === 'ERR_LOOPSCOPE_BUNDLED' ? error : new errors.ERR_LOOPSCOPE_OBSERVER_LOST(message))
      this.#parts.onLost(error)
    }
  }

  #makeWorker () {
    const { state, settings } = this.#parts
    return new Worker(threadFile(settings.observerFile), {
      name: 'loopscope-observer',
      workerData: { ...settings, state: state.buffer },
      // This thread gets neither the application's --require and --import, nor its environment, which may contain secrets.
      execArgv: threadFlags(),
      env: {},
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      // Otherwise Node pipes them into the application's own: the first write to a closed one would end the application.
      stdout: true,
      stderr: true
    })
  }

  /** @param {Worker} worker */
  #listen (worker) {
    const { handlers, onFault, onMessage } = this.#parts
    /** @type {Handlers<ToMain>} */
    const all = {
      ...handlers,
      ready: ready => this.#ready.resolve(ready),
      fault: ({ error }) => onFault(fromPlain(error))
    }
    // One per thread: a thread's request is answered to that thread, and not to one that replaced it meanwhile.
    const channel = new Channel({ post: envelope => worker.postMessage(envelope), sends: TO_OBSERVER, handlers: all })
    this.#worker = worker
    this.#channel = channel
    /** @type {unknown} */
    let reason
    worker.on('message', guarded(envelope => {
      onMessage()
      return channel.receive(envelope)
    }))
    worker.on('error', guarded(error => { reason = error }))
    worker.on('exit', guarded(code => this.#lost(worker, reason ?? `it ended with code ${code}`)))
    worker.unref() // last: listening to messages would hold the process
    process.on('exit', this.#onExit)
    this.#exitHooks.start()
  }

  /** May run several times as the process ends: what was sent once is not sent again. */
  #end () {
    const { state, onEnd } = this.#parts
    const isHandedOver = state.hasSession && onEnd()
    this.release()
    if (isHandedOver) state.awaitKept(MAX_KEEP_MS)
  }

  /** Makes the thread release its inspector session now. */
  release () {
    this.#parts.state.requestRelease(MAX_RELEASE_MS)
  }

  /** @returns {Promise<void>} */
  async stop () {
    const worker = this.#worker
    if (worker === undefined) return
    const gone = new Promise(resolve => worker.once('exit', resolve))
    this.tell('stop', {})
    worker.ref() // the caller awaits close(), which takes a few milliseconds
    await gone
  }

  /**
   * Messages sent while the thread is not running are lost.
   * @template {TellNames<ToObserver>} Name
   * @param {Name} name
   * @param {Params<ToObserver, Name>} params
   */
  tell (name, params) {
    this.#channel?.tell(name, params)
  }

  /**
   * Keeps the process alive while the work lasts: its caller may have nothing else that does so.
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async hold (work) {
    if (this.#holds++ === 0) this.#worker?.ref()
    try {
      return await work()
    } finally {
      if (--this.#holds === 0) this.#worker?.unref()
    }
  }

  /**
   * @template {AskNames<ToObserver>} Name
   * @param {Name} name
   * @param {Params<ToObserver, Name>} params
   * @param {AbortSignal} [signal]
   * @returns {Promise<Answer<ToObserver, Name>>}
   */
  async ask (name, params, signal) {
    if (this.#channel === undefined) throw new errors.ERR_LOOPSCOPE_OBSERVER_LOST('it is not running')
    return this.#channel.ask(name, params, signal)
  }

  /** Requests a reading from the thread, once it is ready. @type {Read} */
  read = async (what, about) => {
    await this.ready
    return this.#read(what, about)
  }

  /**
   * The same for a caller that has nothing else to keep the process alive: the process stays alive for it.
   * @template {keyof ObserverReadings} What
   * @template Missing
   * @param {What} what
   * @param {Params<ObserverReadings, What>} about
   * @param {Missing} missing  the answer without a thread
   * @returns {Promise<Answer<ObserverReadings, What> | Missing>}
   */
  async readOr (what, about, missing) {
    try {
      return await this.hold(() => this.#read(what, about))
    } catch (/** @type {any} */ error) {
      if (error.code === 'ERR_LOOPSCOPE_OBSERVER_LOST') return missing
      throw error
    }
  }

  /**
   * @template {keyof ObserverReadings} What
   * @param {What} what
   * @param {Params<ObserverReadings, What>} about
   * @returns {Promise<Answer<ObserverReadings, What>>}
   */
  async #read (what, about) {
    const question = /** @type {Question<ObserverReadings>} */ ({ what, about })
    return /** @type {any} */ (await this.ask('readObserver', question))
  }

  /**
   * ask(), once the thread is ready: it may just have been started.
   * @template {AskNames<ToObserver>} Name
   * @param {Name} name
   * @param {Params<ToObserver, Name>} params
   * @param {AbortSignal} [signal]
   */
  async askWhenReady (name, params, signal) {
    await this.ready
    return this.ask(name, params, signal)
  }

  /** @param {Worker} worker @param {unknown} reason */
  #lost (worker, reason) {
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#activeMs = { before: this.#activeMs.before + this.#activeMs.now, now: 0 }
    process.off('exit', this.#onExit)
    this.#exitHooks.stop()
    this.#parts.state.forgetSession()
    const error = new errors.ERR_LOOPSCOPE_OBSERVER_LOST(reason instanceof Error ? reason.message : reason)
    this.#ready.reject(error)
    this.#channel?.close(error)
    this.#channel = undefined
    this.#parts.onLost(reason)
  }
}

/** @returns {PromiseWithResolvers<{ sessionError: string | null }>} */
function makeReady () {
  /** @type {any} */
  const ready = {}
  ready.promise = new Promise((resolve, reject) => Object.assign(ready, { resolve, reject }))
  ready.promise.catch(() => {}) // callers that wait for it get the error
  return ready
}

module.exports = { ObserverClient }
