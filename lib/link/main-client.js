'use strict'

// The observer's requests to the main thread, which may be blocked: by message, where every request has a time limit, and the last answer to each
// is cached for that case; and through the inspector.

const { SingleFlight } = require('../base/single-flight')
const { errors } = require('../base/errors')
const { Promise } = require('../base/globals')
const { OWN_FOLDER } = require('../base/own-files')

/** @import { Logger } from '../../types/diagnostics' */
/** @import { Answer, AskNames, Channel, Params, Question } from './channel' */
/** @import { MainReadings, ToMain, ToObserver } from './messages' */

// A loop that turns answers within a few milliseconds. Beyond this limit the caller is better served with the cached answer.
const ANSWER_MS = 300
const SOURCE = `${OWN_FOLDER}link/main-client.js` // under this name profiles recognize it as loopscope's frame

/** @typedef {{ value: any, at: number, isStale: boolean }} LastAnswer  at: milliseconds since the epoch of the answer */

class MainClient {
  #channel
  #answerMs
  /** @type {Map<string, { value: any, at: number }>} */
  #lastAnswers = new Map()
  /** @type {Map<string, SingleFlight<any>>} */
  #flights = new Map()
  #handOver = new SingleFlight({ take: () => this.ask('handOver', {}) })

  /** @param {{ channel: Pick<Channel<ToMain, ToObserver>, 'ask' | 'askWithin' | 'tell'>, answerMs?: number }} parts */
  constructor ({ channel, answerMs = ANSWER_MS }) {
    this.#channel = channel
    this.#answerMs = answerMs
  }

  /**
   * @template {AskNames<ToMain>} Name
   * @param {Name} name
   * @param {Params<ToMain, Name>} params
   * @param {number} [answerMs]  Infinity: no limit
   * @returns {Promise<Answer<ToMain, Name>>}
   * @throws ERR_LOOPSCOPE_LOOP_BLOCKED
   */
  async ask (name, params, answerMs = this.#answerMs) {
    if (!Number.isFinite(answerMs)) return this.#channel.ask(name, params)
    return this.#channel.askWithin(name, params, answerMs, () => new errors.ERR_LOOPSCOPE_LOOP_BLOCKED(answerMs))
  }

  /**
   * Requests a reading from the main thread.
   * @template {keyof MainReadings} What
   * @param {What} what
   * @param {Params<MainReadings, What>} about
   * @param {number} [answerMs]
   * @returns {Promise<Answer<MainReadings, What>>}
   * @throws ERR_LOOPSCOPE_LOOP_BLOCKED
   */
  async read (what, about, answerMs) {
    const question = /** @type {Question<MainReadings>} */ ({ what, about })
    return /** @type {any} */ (await this.ask('readMain', question, answerMs))
  }

  /**
   * The same, or the last reading if the main thread does not answer now.
   * @param {'exactCalls' | 'memory' | 'memoryOwners' | 'metrics' | 'openMetrics' | 'metricsReading' | 'processReading'} what
   * @param {number} application
   * @returns {Promise<LastAnswer>}
   */
  async readOrLast (what, application) {
    const key = `${application} ${what}`
    const flight = this.#flights.get(key) ?? new SingleFlight({ take: () => this.read(what, { application }) })
    this.#flights.set(key, flight)
    try {
      const value = await flight.share()
      this.#lastAnswers.set(key, { value, at: Date.now() })
      return { value, at: Date.now(), isStale: false }
    } catch (error) {
      const last = this.#lastAnswers.get(key)
      if (last === undefined) throw error
      return { ...last, isStale: true }
    }
  }

  /**
   * Makes the main thread send its notes about requests (requestNotes): they have arrived when this resolves.
   * @returns {Promise<boolean>} false: the main thread does not answer now
   */
  async handOver () {
    try {
      await this.#handOver.share()
      return true
    } catch (/** @type {any} */ error) {
      if (error.code === 'ERR_LOOPSCOPE_LOOP_BLOCKED') return false
      throw error
    }
  }

  /**
   * A logger on the main thread.
   * @param {number | null} application  null: the first application's, for lines of the whole process
   * @returns {Pick<Logger, 'info' | 'warn'>}
   */
  log (application) {
    /** @param {'info' | 'warn'} level */
    const line = level => (/** @type {object} */ fields, /** @type {string} */ message) => this.#channel.tell('log', { application, level, fields, message })
    return { info: line('info'), warn: line('warn') }
  }

  /** @param {number} application  a closed application */
  forget (application) {
    for (const map of [this.#lastAnswers, this.#flights]) {
      for (const key of map.keys()) if (key.startsWith(`${application} `)) map.delete(key)
    }
  }
}

/**
 * Runs blocking work on the main thread through the inspector. It is marked on the main thread itself, before and after, so that it is not counted
 * as a stall of the application, while the application's own stalls still are.
 * @param {object} parts
 * @param {(method: string, params?: object) => Promise<any>} parts.post  posts to the main thread's inspector
 * @param {string} parts.expression  evaluates to a function of the main thread: (isBegin) => duration in milliseconds
 */
function createOwnWork ({ post, expression }) {
  let totalMs = 0

  /** @param {boolean} isBegin */
  async function mark (isBegin) {
    const marking = `${expression}(${isBegin})\n//# sourceURL=${SOURCE}`
    const { result } = await post('Runtime.evaluate', { expression: marking, returnByValue: true, silent: true })
    return Number(result?.value ?? 0)
  }

  return {
    /** How long loopscope has blocked the main thread since the start. */
    get totalMs () { return totalMs },

    /**
     * For commands that V8 completes before it goes on; not for commands that it postpones, like HeapProfiler.collectGarbage.
     * @param {string} method
     * @param {object} [params]
     * @returns {Promise<any>}
     */
    async post (method, params) {
      // All three at once: the main thread handles them one after the other, with no application code between them.
      const [, reply, tookMs] = await Promise.all([mark(true), post(method, params), mark(false)])
      totalMs += tookMs
      return reply
    }
  }
}

/**
 * For what is not worth an error while the loop is blocked: `readOrLast(…).catch(nullWhenBlocked)`.
 * @param {any} error
 * @returns {null} where the main thread has never answered
 */
function nullWhenBlocked (error) {
  if (error.code === 'ERR_LOOPSCOPE_LOOP_BLOCKED') return null
  throw error
}

module.exports = { MainClient, createOwnWork, nullWhenBlocked }
