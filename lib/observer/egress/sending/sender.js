'use strict'

// Sends what waits in a queue, one after the other, and tries again what fails. What cannot be sent stays on disk.

const { unattended } = require('../../../shared/base/guard')
const { clearTimeout, setTimeout } = require('../../../shared/base/timers')
const { openBody } = require('../queue/queue-entry')
const { isTransient, retryDelayMs } = require('./retry')
const { sendRequest } = require('./send-request')
const { withSecrets } = require('./url-secrets')

/** @import { EgressOutcome } from '../../../main/egress/egress-counts' */
/** @import { createQueue, Waiting } from '../queue/queue' */
/** @import { EntryFacts } from '../queue/queue-entry' */

/**
 * @param {object} parts
 * @param {ReturnType<typeof createQueue>} parts.queue
 * @param {boolean} parts.isUrgent  what it sends: evidence does not wait behind profiles
 * @param {{ url: string, headers: Readonly<Record<string, string>> }} parts.settings  with what is secret
 * @param {(url: string) => string | null} [parts.addressOf]  of an item; null: it is none of this destination's. By default the item's own, of the origin
 *   of the option
 * @param {(outcome: EgressOutcome, problem: string | null) => void} parts.onOutcome
 * @param {typeof retryDelayMs} [parts.delayMs]
 */
function createSender (parts) {
  return new Sender(parts)
}

class Sender {
  #parts
  #delayMs
  #addressOf
  #isAwake = false
  /** Who waits until there is nothing to do for now. @type {(() => void)[]} */
  #waiting = []
  #isResting = true
  #failures = 0
  #end = new AbortController()
  #hurry = () => {}

  /** @param {Parameters<typeof createSender>[0]} parts */
  constructor (parts) {
    this.#parts = parts
    this.#delayMs = parts.delayMs ?? retryDelayMs
    this.#addressOf = parts.addressOf ?? (url => hasOrigin(url, parts.settings.url) ? url : null)
  }

  /**
   * There is something to send.
   * @param {{ isNew?: boolean }} [how]  isNew: what is urgent is tried at once, whatever failed before
   */
  wake ({ isNew = false } = {}) {
    if (isNew && this.#parts.isUrgent) this.#hurry()
    if (this.#isAwake || this.#end.signal.aborted) return
    this.#isAwake = true
    unattended(this.#work())
  }

  /** @returns {Promise<void>} resolves when nothing waits, or when what was tried has failed */
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
    this.#hurry()
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

  /**
   * @param {Waiting} entry
   * @returns {Promise<number>} how long to wait before the next
   */
  async #try (entry) {
    const { queue, onOutcome } = this.#parts
    const facts = queue.hold(entry)
    if (facts === null) return 0
    const address = this.#addressOf(facts.url)
    if (address === null) {
      queue.setAside(entry)
      return 0
    }
    const { status, askedMs, problem } = await this.#answerTo(entry, { ...facts, url: address })
    queue.release(entry)
    if (this.#end.signal.aborted) return 0
    if (status !== null && !isTransient(status)) {
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
      const { code, name } = /** @type {NodeJS.ErrnoException} */ (error) // the message may have the URL in it
      return { status: null, askedMs: null, problem: code ?? name }
    }
  }

  /** @param {number} ms */
  async #sleep (ms) {
    this.#rest()
    await /** @type {Promise<void>} */ (new Promise(resolve => {
      const timer = setTimeout(resolve, ms)
      this.#hurry = () => {
        clearTimeout(timer)
        resolve()
      }
    }))
    this.#isResting = false
  }
}

/**
 * @param {string} url
 * @param {string} configured
 */
function hasOrigin (url, configured) {
  return URL.canParse(url) && new URL(url).origin === new URL(configured).origin
}

module.exports = { createSender }
