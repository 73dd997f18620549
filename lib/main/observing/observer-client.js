'use strict'

// The main thread's end of the observer: starts the thread, asks it things, and gives it up without a trace.

const { Worker } = require('node:worker_threads')
const { errors, fromPlain, toPlain } = require('../../shared/base/errors')
const { guarded } = require('../../shared/base/guard')
const { threadFile, threadFlags } = require('../../shared/base/own-files')
const { createWayOut } = require('./way-out')

/** @import { SharedState } from '../../bridge/shared-state' */
/** @import { SampledReading } from '../../observer/sync-calls/sampled-table' */

/**
 * @typedef {object} ObserverSettings  what the thread is started with
 * @property {SharedArrayBuffer} state
 * @property {number} stallThresholdMs
 * @property {number} keepSeconds
 * @property {number} hz
 * @property {boolean} isMainThread  that is observed
 * @property {number | null} threadPid  of it, to the system
 * @property {boolean} isInspectorForbidden  by the permission model, which a thread of ours cannot ask
 * @property {boolean} windowsBySession  the engine's windows reach the thread through its inspector session
 * @property {string} titlePrefix
 * @property {string} cutExpression
 * @property {string} ownWorkExpression
 * @property {string} appRoot
 * @property {string} [observerFile]
 */

// After this long at exit the message of Node about the debugger is the lesser evil. Measured need: 1-6 ms.
const MAX_RELEASE_MS = 200

/**
 * @param {object} parts
 * @param {SharedState} parts.state
 * @param {Omit<ObserverSettings, 'state'>} parts.settings
 * @param {(isAway: boolean) => void} [parts.onSession]  the thread let go of its inspector session, or has it again
 * @param {() => void} parts.onRotate          the thread wants the current window ended
 * @param {(reading: SampledReading) => void} parts.onSyncSamples
 * @param {(waitedMs: number) => void} parts.onPoolQueued  a task of libuv's pool had to wait
 * @param {(name: string, argument: any) => unknown} [parts.onAsked]  the thread wants to know something of the main thread
 * @param {(event: any) => void} [parts.onAdmin]  of the admin surface: a log line, a count, a piece of an answer
 * @param {(error: Error) => void} parts.onFault
 * @param {(reason: unknown) => void} parts.onLost  the thread has ended, or could not be made
 */
function createObserver (parts) {
  return new Observer(parts)
}

class Observer {
  #parts
  /** @type {Worker | undefined} */
  #worker
  #starts = 0
  #activeMs = { before: 0, now: 0 } // of former threads, of this one
  #sequence = 0
  #holds = 0
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  #asked = new Map()
  #ready = makeReady()
  #onExit = guarded(() => this.release())
  #wayOut = createWayOut({ release: guarded(() => this.release()), withdraw: guarded(() => this.#parts.state.withdrawRelease()) })

  /** @param {Parameters<typeof createObserver>[0]} parts */
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
    this.#worker = worker
    /** @type {unknown} */
    let reason
    worker.on('message', guarded(message => this.#receive(worker, message)))
    worker.on('error', guarded(error => { reason = error }))
    worker.on('exit', guarded(code => this.#lost(worker, reason ?? `it ended with code ${code}`)))
    worker.unref() // last: listening to messages would hold the process
    process.on('exit', this.#onExit)
    this.#wayOut.start()
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
    worker.postMessage({ type: 'stop' })
    worker.ref() // close() is awaited by somebody, and takes a few milliseconds
    await gone
  }

  /** @param {{ type: string } & Record<string, unknown>} message */
  send (message) {
    this.#worker?.postMessage(message)
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
   * @param {{ type: string } & Record<string, unknown>} question
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  async ask (question, signal) {
    if (!this.running) throw new errors.ERR_LOOPSCOPE_OBSERVER_LOST('it is not running')
    const id = ++this.#sequence
    const cancel = guarded(() => this.send({ type: 'cancel', id, reason: String(signal?.reason) }))
    this.send({ ...question, id })
    if (signal?.aborted) cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    const answer = new Promise((resolve, reject) => this.#asked.set(id, { resolve, reject }))
    return answer.finally(() => signal?.removeEventListener('abort', cancel))
  }

  /**
   * The same, once the thread watches: it may just have been started.
   * @param {{ type: string } & Record<string, unknown>} question
   * @param {AbortSignal} [signal]
   */
  async askWhenReady (question, signal) {
    await this.ready
    return this.ask(question, signal)
  }

  /**
   * @param {Worker} worker
   * @param {any} message
   */
  #receive (worker, message) {
    if (message.type === 'ready') return this.#ready.resolve({ sessionError: message.sessionError })
    if (message.type === 'session') return this.#parts.onSession?.(message.isAway)
    if (message.type === 'rotate') return this.#parts.onRotate()
    if (message.type === 'syncSamples') return this.#parts.onSyncSamples(message.reading)
    if (message.type === 'poolQueued') return this.#parts.onPoolQueued(message.waitedMs)
    if (message.type === 'fault') return this.#parts.onFault(fromPlain(message.error))
    if (message.type === 'admin') return this.#parts.onAdmin?.(message.event)
    if (message.type === 'ask') return this.#tell(worker, message)
    const waiting = this.#asked.get(message.id)
    this.#asked.delete(message.id)
    if (message.error) waiting?.reject(fromPlain(message.error))
    else waiting?.resolve(message.value)
  }

  /**
   * The thread that asked is told, and not one that took its place meanwhile: it has questions of the same numbers.
   * @param {Worker} worker
   * @param {{ id: number, name: string, argument: unknown }} question
   */
  async #tell (worker, { id, name, argument }) {
    try {
      worker.postMessage({ type: 'told', id, value: await this.#parts.onAsked?.(name, argument) })
    } catch (error) {
      worker.postMessage({ type: 'told', id, error: toPlain(error) })
    }
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
    this.#wayOut.stop()
    this.#parts.state.forgetSession()
    const error = new errors.ERR_LOOPSCOPE_OBSERVER_LOST(reason instanceof Error ? reason.message : reason)
    this.#ready.reject(error)
    for (const { reject } of this.#asked.values()) reject(error)
    this.#asked.clear()
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

module.exports = { createObserver }
