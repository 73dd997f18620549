'use strict'

// The inspector of one worker, reached through the session with the main thread (V8's domain NodeWorker): no change to the worker. Messages
// are texts both ways; a worker that has ended, or cannot be interrupted, answers none, so each is waited for only so long.

const { guarded, unattended } = require('../../shared/base/guard')
const { clearTimeout, setTimeout } = require('../../shared/base/timers')

const ANSWER_MS = 5000
const DEFAULT_NAME = 'WorkerThread' // of those that nobody named
const TITLE = /^\[worker (\d+)\] ?(.*)$/s

/** @typedef {(method: string, params?: object) => Promise<any>} Post */
/** @typedef {{ sessionId: string, workerInfo: { title: string, url: string } }} Attached */

/**
 * @param {Attached} attached
 * @param {{ post: Post, answerMs?: number }} parts  post: to the session with the main thread
 */
function createThreadSession (attached, parts) {
  return new ThreadSession(attached, parts)
}

class ThreadSession {
  #sessionId
  #post
  #answerMs
  #asked = 0
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  #waiting = new Map()
  /** @type {Map<string, (params: any) => void>} */
  #listeners = new Map()
  #hasEnded = false
  /** As in `threadId` of node:worker_threads. @type {number} */
  id
  /** For people: `worker 3 resize (image.js)`. @type {string} */
  name
  /** What it has in common with those that do the same: `resize`, or its file. @type {string} */
  kind
  /** @type {string} */
  url

  /**
   * @param {Attached} attached
   * @param {Parameters<typeof createThreadSession>[1]} parts
   */
  constructor ({ sessionId, workerInfo: { title, url } }, { post, answerMs = ANSWER_MS }) {
    const [, id = '', ownName = ''] = TITLE.exec(title) ?? []
    const file = url.split('/').at(-1)
    this.#sessionId = sessionId
    this.#post = post
    this.#answerMs = answerMs
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
        timer = setTimeout(guarded(() => reject(new Error(`no answer to ${method} within ${this.#answerMs} ms`))), this.#answerMs).unref()
        this.#waiting.set(id, { resolve, reject })
        unattended(this.#post('NodeWorker.sendMessageToWorker', { sessionId: this.#sessionId, message: JSON.stringify({ id, method, params }) }).catch(reject))
      })
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(id)
    }
  }

  /**
   * Of its own accord the worker's inspector says this.
   * @param {string} event
   * @param {(params: any) => void} listener  the only one
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

  /** Nobody answers any more. */
  end () {
    this.#hasEnded = true
    for (const { reject } of this.#waiting.values()) reject(new Error('the thread has ended'))
  }
}

module.exports = { createThreadSession }
