'use strict'

// Sessions with all worker threads of the process, as they come and go, while somebody wants them: V8's domain NodeWorker is enabled then, and
// no longer. Whoever wants them shares them. Our own threads are left out.

const { pathToFileURL } = require('node:url')
const { threadId } = require('node:worker_threads')
const { createThreadSession } = require('./thread-session')

/** @import { Attached, Post } from './thread-session' */

/** @typedef {ReturnType<typeof createThreadSession>} ThreadSession */
/** @typedef {(thread: ThreadSession) => void} OnThread */

const OWN_URL = pathToFileURL(process.argv[1] ?? '').href // in a worker the file that it was made of

/**
 * @typedef {object} Inspector  the observer's session with the main thread
 * @property {() => Promise<unknown>} open  rejects where there is none
 * @property {Post} post  while it is open
 * @property {(event: string, listener: (message: { params: any }) => void) => () => void} listen  ends with what it returns
 */

/** @param {Inspector} inspector */
function createThreadSessions (inspector) {
  return new ThreadSessions(inspector)
}

class ThreadSessions {
  #inspector
  /** @type {Map<string, ThreadSession>} */
  #threads = new Map()
  /** @type {Set<OnThread>} */
  #users = new Set()
  /** @type {(() => void)[]} */
  #ends = []
  /** Opened and closed in turn: who comes while it is closed opens it again. @type {Promise<unknown>} */
  #turn = Promise.resolve()

  /** @param {Inspector} inspector */
  constructor (inspector) {
    this.#inspector = inspector
  }

  /**
   * @param {OnThread} onThread  called for each thread that there is, and for each that comes
   * @returns {Promise<{ readonly isOpen: boolean, close (): Promise<void> }>} isOpen: until it is closed, or lost; rejects where there is no inspector
   */
  async open (onThread) {
    const opened = this.#turn.then(() => this.#enter(onThread))
    this.#turn = opened.catch(() => {})
    await opened
    const users = this.#users
    return { get isOpen () { return users.has(onThread) }, close: () => this.#inTurn(() => this.#leave(onThread)) }
  }

  /** To be called when the session with the main thread is gone: those with the workers went with it. */
  lose () {
    this.#forget()
    this.#users.clear()
  }

  /** @param {() => Promise<void>} work  that does not reject */
  #inTurn (work) {
    const done = this.#turn.then(work)
    this.#turn = done
    return done
  }

  /** @param {OnThread} onThread */
  async #enter (onThread) {
    const isFirst = this.#users.size === 0
    if (isFirst) await this.#inspector.open()
    this.#users.add(onThread)
    if (!isFirst) return this.#threads.forEach(onThread)
    this.#listen()
    try {
      await this.#inspector.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
    } catch (error) {
      await this.#leave(onThread)
      throw error
    }
  }

  #listen () {
    const { listen, post } = this.#inspector
    this.#ends = [
      listen('NodeWorker.attachedToWorker', ({ params }) => {
        const thread = createThreadSession(/** @type {Attached} */ (params), { post })
        if (isOurs(thread)) return
        this.#threads.set(params.sessionId, thread)
        for (const onThread of this.#users) onThread(thread)
      }),
      listen('NodeWorker.receivedMessageFromWorker', ({ params }) => this.#threads.get(params.sessionId)?.receive(params.message)),
      listen('NodeWorker.detachedFromWorker', ({ params }) => {
        this.#threads.get(params.sessionId)?.end()
        this.#threads.delete(params.sessionId)
      })
    ]
  }

  /** @param {OnThread} onThread */
  async #leave (onThread) {
    if (!this.#users.delete(onThread) || this.#users.size > 0) return
    this.#forget()
    // With it all profilers that we started there end. A session that is closed has ended them already.
    await this.#inspector.post('NodeWorker.disable').catch(() => {})
  }

  #forget () {
    for (const end of this.#ends) end()
    for (const thread of this.#threads.values()) thread.end()
    this.#ends = []
    this.#threads.clear()
  }
}

/** @param {ThreadSession} thread */
function isOurs ({ id, url }) {
  return id === threadId || url === OWN_URL
}

module.exports = { createThreadSessions }
