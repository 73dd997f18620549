'use strict'

// Opens sessions with all worker threads of the process, as they come and go, while there are users: V8's domain NodeWorker is enabled only then.
// Each session is the inspector of one worker, reached through the session with the main thread, with no change to the worker. All users share
// the sessions. loopscope's own threads are left out.

const { pathToFileURL } = require('node:url')
const { threadId } = require('node:worker_threads')
const { guarded, unattended } = require('../../base/guard')
const { clearTimeout, setTimeout } = require('../../base/timers')

/** @typedef {(thread: ThreadSession) => void} OnThread */

const OWN_URL = pathToFileURL(process.argv[1] ?? '').href // in a worker, the file that it runs
const ANSWER_MS = 5000
const DEFAULT_NAME = 'WorkerThread' // the name of threads that the application did not name
const TITLE = /^\[worker (\d+)\] ?(.*)$/s

/**
 * @typedef {object} Inspector  the observer's session with the main thread
 * @property {() => Promise<unknown>} open  rejects if there is none
 * @property {Post} post  while it is open
 * @property {(event: string, listener: (message: { params: any }) => void) => () => void} listen  the result removes the listener
 */

/** @typedef {(method: string, params?: object) => Promise<any>} Post */
/** @typedef {{ sessionId: string, workerInfo: { title: string, url: string } }} Attached */

class ThreadSessions {
  #inspector
  /** @type {Map<string, ThreadSession>} */
  #threads = new Map()
  /** @type {Set<OnThread>} */
  #users = new Set()
  /** @type {(() => void)[]} */
  #ends = []
  /** Opens and closes run one after the other: a user that arrives during a close opens again. @type {Promise<unknown>} */
  #turn = Promise.resolve()

  /** @param {Inspector} inspector */
  constructor (inspector) {
    this.#inspector = inspector
  }

  /**
   * @param {OnThread} onThread  called for each existing thread, and for each new one
   * @returns {Promise<{ readonly isOpen: boolean, close (): Promise<void> }>} isOpen: true until it is closed or lost; rejects if there is no inspector
   */
  async open (onThread) {
    const opened = this.#turn.then(() => this.#enter(onThread))
    this.#turn = opened.catch(() => {})
    await opened
    const users = this.#users
    return { get isOpen () { return users.has(onThread) }, close: () => this.#inTurn(() => this.#leave(onThread)) }
  }

  /** Called when the session with the main thread is gone, and the sessions with the workers with it. */
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
        const thread = new ThreadSession(/** @type {Attached} */ (params), post)
        if (thread.id === threadId || thread.url === OWN_URL) return
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
    // This ends all profilers that were started through the sessions. If the session is closed, they have already ended.
    await this.#inspector.post('NodeWorker.disable').catch(() => {})
  }

  #forget () {
    for (const end of this.#ends) end()
    for (const thread of this.#threads.values()) thread.end()
    this.#ends = []
    this.#threads.clear()
  }
}

/**
 * The inspector of one worker. Messages are strings both ways. A worker that has ended, or cannot be interrupted, does not answer, so each
 * answer has a time limit.
 */
class ThreadSession {
  #sessionId
  #post
  #asked = 0
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  #waiting = new Map()
  /** @type {Map<string, (params: any) => void>} */
  #listeners = new Map()
  #hasEnded = false
  /** As in `threadId` of node:worker_threads. @type {number} */
  id
  /** The display name: `worker 3 resize (image.js)`. @type {string} */
  name
  /** The common name of threads that do the same: `resize`, or the file. @type {string} */
  kind
  /** @type {string} */
  url

  /**
   * @param {Attached} attached
   * @param {Post} post  to the session with the main thread
   */
  constructor ({ sessionId, workerInfo: { title, url } }, post) {
    const [, id = '', ownName = ''] = TITLE.exec(title) ?? []
    const file = url.split('/').at(-1)
    this.#sessionId = sessionId
    this.#post = post
    this.id = Number(id)
    this.url = url
    const given = ownName === DEFAULT_NAME ? '' : ownName
    this.name = [`worker ${id}`, ...given === '' ? [] : [given], ...file ? [`(${file})`] : []].join(' ')
    this.kind = given || file || 'worker'
  }

  get hasEnded () { return this.#hasEnded }

  /**
   * @param {string} method
   * @param {object} [params]
   * @returns {Promise<any>} rejects when the worker has ended, or did not answer in time
   */
  async post (method, params = {}) {
    if (this.#hasEnded) throw new Error('the thread has ended')
    const id = ++this.#asked
    /** @type {NodeJS.Timeout | undefined} */
    let timer
    try {
      return await new Promise((resolve, reject) => {
        timer = setTimeout(guarded(() => reject(new Error(`no answer to ${method} within ${ANSWER_MS} ms`))), ANSWER_MS).unref()
        this.#waiting.set(id, { resolve, reject })
        unattended(this.#post('NodeWorker.sendMessageToWorker', { sessionId: this.#sessionId, message: JSON.stringify({ id, method, params }) }).catch(reject))
      })
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(id)
    }
  }

  /**
   * Listens for an event of the worker's inspector.
   * @param {string} event
   * @param {(params: any) => void} listener  there is only one per event
   */
  listen (event, listener) {
    this.#listeners.set(event, listener)
  }

  /** @param {string} message  of the worker's inspector */
  receive (message) {
    const { id, result, error, method, params } = JSON.parse(message)
    if (id === undefined) return this.#listeners.get(method)?.(params)
    const asked = this.#waiting.get(id)
    if (error === undefined) asked?.resolve(result)
    else asked?.reject(new Error(error.message))
  }

  /** The worker no longer answers. */
  end () {
    this.#hasEnded = true
    for (const { reject } of this.#waiting.values()) reject(new Error('the thread has ended'))
  }
}

module.exports = { ThreadSession, ThreadSessions }
