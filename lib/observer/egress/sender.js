'use strict'

// Sends the items of a queue one after the other, and retries failed ones. What cannot be sent stays on disk.

const { unattended } = require('../../base/guard')
const { clearTimeout, setTimeout } = require('../../base/timers')
const { openBody } = require('./queue')
const { sendRequest } = require('./send-request')
const { withSecrets } = require('./url-secrets')

/** @import { EgressOutcome } from './destination' */
/** @import { EntryFacts, Queue, Waiting } from './queue' */

const FIRST_RETRY_MS = 1000
const MAX_RETRY_MS = 60_000
const MAX_ASKED_MS = 10 * 60_000 // the longest delay accepted from a server: it may be wrong, and waiting items are dropped at some point

/** Status codes after which the same request may succeed: too slow, too many requests, and server errors (5xx). */
const TRANSIENT = [408, 425, 429]

class Sender {
  #parts
  #delayMs
  #isAwake = false
  /** Callers that wait until there is nothing to do for now. @type {(() => void)[]} */
  #waiting = []
  #isResting = true
  #failures = 0
  #end = new AbortController()
  #endRest = () => {}

  /**
   * @param {object} parts
   * @param {Queue} parts.queue
   * @param {boolean} parts.isUrgent  whether it sends urgent items: evidence does not wait behind profiles
   * @param {{ url: string, headers: Readonly<Record<string, string>> }} parts.settings  including secrets
   * @param {(url: string) => string | null} parts.addressOf  URL of an item; null: not an item of this destination
   * @param {(outcome: EgressOutcome, problem: string | null) => void} parts.onOutcome
   * @param {typeof retryDelayMs} [parts.delayMs]
   */
  constructor (parts) {
    this.#parts = parts
    this.#delayMs = parts.delayMs ?? retryDelayMs
  }

  /**
   * Call it when there is something to send.
   * @param {{ isNew?: boolean }} [how]  isNew: an urgent item is tried at once, despite earlier failures
   */
  wake ({ isNew = false } = {}) {
    if (isNew && this.#parts.isUrgent) this.#endRest()
    if (this.#isAwake || this.#end.signal.aborted) return
    this.#isAwake = true
    unattended(this.#work())
  }

  /** @returns {Promise<void>} resolves when the queue is empty, or the last attempt has failed */
  drained () {
    return new Promise(resolve => {
      if (this.#isResting) return resolve()
      this.#waiting.push(resolve)
    })
  }

  #rest () {
    this.#isResting = true
    for (const tell of this.#waiting.splice(0)) tell()
  }

  stop () {
    this.#end.abort()
    this.#endRest()
  }

  async #work () {
    const { queue, isUrgent } = this.#parts
    this.#isResting = false
    try {
      for (let entry = queue.first(isUrgent); entry !== null && !this.#end.signal.aborted; entry = queue.first(isUrgent)) {
        const delayMs = await this.#try(entry)
        if (delayMs > 0) await this.#sleep(delayMs)
      }
    } finally {
      this.#isAwake = false
      this.#rest()
    }
  }

  /** @param {Waiting} entry @returns {Promise<number>} delay before the next attempt */
  async #try (entry) {
    const { queue, addressOf, onOutcome } = this.#parts
    const facts = queue.hold(entry)
    if (facts === null) return 0
    const address = addressOf(facts.url)
    if (address === null) {
      queue.setAside(entry)
      return 0
    }
    const { status, askedMs, problem } = await this.#answerTo(entry, { ...facts, url: address })
    queue.release(entry)
    if (this.#end.signal.aborted) return 0
    if (status !== null && status < 500 && !TRANSIENT.includes(status)) {
      queue.remove(entry)
      this.#failures = 0
      const isSent = status >= 200 && status < 300
      onOutcome(isSent ? 'sent' : 'refused', isSent ? null : problem)
      return 0
    }
    onOutcome('retried', problem)
    return this.#delayMs(++this.#failures, askedMs)
  }

  /**
   * @param {Waiting} entry
   * @param {EntryFacts} facts
   * @returns {Promise<{ status: number | null, askedMs: number | null, problem: string }>}
   */
  async #answerTo ({ path }, { method, url, headers }) {
    const { settings } = this.#parts
    try {
      const { status, askedMs } = await sendRequest({
        method,
        url: withSecrets(url, settings.url),
        headers: { ...headers, ...settings.headers },
        ...openBody(path)
      }, this.#end.signal)
      return { status, askedMs, problem: `it answered ${status}` }
    } catch (error) {
      const { code, name } = /** @type {NodeJS.ErrnoException} */ (error) // the message may contain the URL
      return { status: null, askedMs: null, problem: code ?? name }
    }
  }

  /** @param {number} ms */
  async #sleep (ms) {
    this.#rest()
    await /** @type {Promise<void>} */ (new Promise(resolve => {
      const timer = setTimeout(resolve, ms)
      this.#endRest = () => {
        clearTimeout(timer)
        resolve()
      }
    }))
    this.#isResting = false
  }
}

/**
 * The delay before a retry.
 * @param {number} failures  in a row, from 1
 * @param {number | null} askedMs  the delay that the server requested
 * @param {() => number} [random]  so that the processes of a fleet do not all retry at once
 */
function retryDelayMs (failures, askedMs, random = Math.random) {
  const backoffMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1)) * (0.5 + random() / 2)
  return Math.max(backoffMs, Math.min(askedMs ?? 0, MAX_ASKED_MS))
}

module.exports = { Sender, retryDelayMs }
