'use strict'

// The main thread's end of the observer: starts the thread, asks it things, and gives it up without a trace.

const { Worker } = require('node:worker_threads')
const { Channel } = require('./channel')
const { TO_OBSERVER } = require('./messages')
const { errors, fromPlain } = require('../base/errors')
const { guarded } = require('../base/guard')
const { threadFile, threadFlags } = require('../base/own-files')
const { createExitHooks } = require('./exit-hooks')

/** @import { Answer, AskNames, Handlers, Params, Question, Read, TellNames } from './channel' */
/** @import { ObserverReadings, ObserverSettings, ToMain, ToObserver } from './messages' */
/** @import { SharedState } from './shared-state' */

// After this long at exit the message of Node about the debugger is the lesser evil. Measured need: 1-6 ms.
const MAX_RELEASE_MS = 200
// What was recorded last is not worth more: a few milliseconds are needed, most of them the disk's.
const MAX_KEEP_MS = 200

/**
 * @typedef {object} ObserverParts
 * @property {SharedState} state
 * @property {Omit<ObserverSettings, 'state'>} settings
 * @property {Omit<Handlers<ToMain>, 'ready' | 'fault'>} handlers  of what the thread says and asks
 * @property {(error: Error) => void} onFault
 * @property {() => void} onMessage  called first in the callback of each message of the thread
 * @property {(reason: unknown) => void} onLost  the thread has ended, or could not be made
 * @property {() => boolean} onEnd  of the process: whether something was handed over that the thread is to keep
 */

class ObserverClient {
  #parts
  /** @type {Worker | undefined} */
  #worker
  /** @type {Channel<ToObserver, ToMain> | undefined} */
  #channel
  #starts = 0
  #activeMs = { before: 0, now: 0 } // of former threads, of this one
  #holds = 0
  #ready = makeReady()
  #onExit = guarded(() => this.#end())
  #exitHooks = createExitHooks({ release: guarded(() => this.#end()), withdraw: guarded(() => this.#parts.state.withdrawRelease()) })

  /** @param {ObserverParts} parts */
  constructor (parts) {
    this.#parts = parts
  }

  get running () { return this.#worker !== undefined }

  /** Time the thread was at work, and those before it. */
  get activeSeconds () {
    if (this.#worker !== undefined) this.#activeMs.now = this.#worker.performance.eventLoopUtilization().active
    return (this.#activeMs.before + this.#activeMs.now) / 1e3
  }

  /** Resolves when the thread watches; sessionError tells why there is no inspector session. */
  get ready () { return this.#ready.promise }

  /**
   * Where threads are forbidden (the permission model), and in a bundle without the thread's file, `ready` rejects. It can be started
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
      // The application's --require and --import are not for this thread, nor is its environment with what may be secret in it.
      execArgv: threadFlags(),
      env: {},
      // Else Node pipes them into the application's own: the first write to a closed one would end the application.
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
    // One a thread: what a thread asked is answered to itself, and not to one that took its place meanwhile.
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

  /** As often as the process is about to end: what it has handed over once is not handed over again. */
  #end () {
    const { state, onEnd } = this.#parts
    const isHandedOver = state.hasSession && onEnd()
    this.release()
    if (isHandedOver) state.awaitKept(MAX_KEEP_MS)
  }

  /** Has the thread let go of its inspector session now. */
  release () {
    this.#parts.state.requestRelease(MAX_RELEASE_MS)
  }

  /** @returns {Promise<void>} */
  async stop () {
    const worker = this.#worker
    if (worker === undefined) return
    const gone = new Promise(resolve => worker.once('exit', resolve))
    this.tell('stop', {})
    worker.ref() // close() is awaited by somebody, and takes a few milliseconds
    await gone
  }

  /**
   * What it is told while it is not running is lost.
   * @template {TellNames<ToObserver>} Name
   * @param {Name} name
   * @param {Params<ToObserver, Name>} params
   */
  tell (name, params) {
    this.#channel?.tell(name, params)
  }

  /**
   * Keeps the process alive while the work lasts: somebody awaits it, and may have nothing else to do.
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

  /**
   * What the thread has of something, once it watches.
   * @type {Read}
   */
  read = async (what, about) => {
    await this.ready
    return this.#read(what, about)
  }

  /**
   * The same for somebody who awaits it, and may have nothing else to do: the process is kept alive for it.
   * @template {keyof ObserverReadings} What
   * @template Missing
   * @param {What} what
   * @param {Params<ObserverReadings, What>} about
   * @param {Missing} missing  the answer where there is no thread
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
   * The same as ask(), once the thread watches: it may just have been started.
   * @template {AskNames<ToObserver>} Name
   * @param {Name} name
   * @param {Params<ToObserver, Name>} params
   * @param {AbortSignal} [signal]
   */
  async askWhenReady (name, params, signal) {
    await this.ready
    return this.ask(name, params, signal)
  }

  /**
   * @param {Worker} worker
   * @param {unknown} reason
   */
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
  ready.promise.catch(() => {}) // those who wait for it are told
  return ready
}

module.exports = { ObserverClient }
