'use strict'

// What the observer asks the main thread, which may be stuck: by message, where every question has a time limit, and the last answer to each
// is kept for that case; and through the inspector.

const { SingleFlight } = require('../base/single-flight')
const { errors } = require('../base/errors')
const { OWN_FOLDER } = require('../base/own-files')

/** @import { Logger } from '../../types/diagnostics' */
/** @import { Answer, AskNames, Channel, Params, Question } from './channel' */
/** @import { MainReadings, ToMain, ToObserver } from './messages' */

// A loop that turns answers within a few milliseconds. Longer than this and who asks is better served with what is known.
const ANSWER_MS = 300
const SOURCE = `${OWN_FOLDER}link/main-client.js` // the name makes it a frame of ours in profiles

/** @typedef {{ value: any, at: number, isStale: boolean }} LastAnswer  at: milliseconds since the epoch of the answer */

class MainClient {
  #channel
  #answerMs
  /** @type {Map<string, { value: any, at: number }>} */
  #lastAnswers = new Map()
  /** @type {Map<string, SingleFlight<any>>} */
  #flights = new Map()
  #handOver = new SingleFlight({ take: () => this.ask('handOver', {}) })

  /**
   * @param {object} parts
   * @param {Pick<Channel<ToMain, ToObserver>, 'ask' | 'askWithin' | 'tell'>} parts.channel
   * @param {number} [parts.answerMs]
   */
  constructor ({ channel, answerMs = ANSWER_MS }) {
    this.#channel = channel
    this.#answerMs = answerMs
  }

  /**
   * @template {AskNames<ToMain>} Name
   * @param {Name} name
   * @param {Params<ToMain, Name>} params
   * @param {number} [answerMs]  Infinity: as long as it takes
   * @returns {Promise<Answer<ToMain, Name>>}
   * @throws ERR_LOOPSCOPE_LOOP_BLOCKED
   */
  async ask (name, params, answerMs = this.#answerMs) {
    if (!Number.isFinite(answerMs)) return this.#channel.ask(name, params)
    return this.#channel.askWithin(name, params, answerMs, () => new errors.ERR_LOOPSCOPE_LOOP_BLOCKED(answerMs))
  }

  /**
   * What the main thread has of something.
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
   * The same, or what was read last when the main thread does not answer now.
   * @param {'exactCalls' | 'memory' | 'metrics' | 'openMetrics' | 'metricsReading' | 'processReading'} what
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
   * Has the main thread hand over what it has noted of requests (requestNotes): it has come when this resolves.
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
   * @param {number | null} application  null: the first one's, for what is of the process
   * @returns {Pick<Logger, 'info' | 'warn'>}
   */
  log (application) {
    /** @param {'info' | 'warn'} level */
    const line = level => (/** @type {object} */ fields, /** @type {string} */ message) => this.#channel.tell('log', { application, level, fields, message })
    return { info: line('info'), warn: line('warn') }
  }

  /** @param {number} application  that was closed */
  forget (application) {
    for (const map of [this.#lastAnswers, this.#flights]) {
      for (const key of map.keys()) if (key.startsWith(`${application} `)) map.delete(key)
    }
  }
}

/**
 * What the observer has the main thread do through the inspector and what holds it up: it is marked on the main thread itself, before and
 * after, so that it is not taken for a stall of the application, and the application's own stalls still are.
 * @param {object} parts
 * @param {(method: string, params?: object) => Promise<any>} parts.post  to the inspector of the main thread
 * @param {string} parts.expression  of a function of the main thread: (isBegin) => milliseconds that it took
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
    /** For how long the main thread has stood still for us since the start. */
    get totalMs () { return totalMs },

    /**
     * To be used for what V8 does before it goes on: not for what it puts off, as it does HeapProfiler.collectGarbage.
     * @param {string} method
     * @param {object} [params]
     * @returns {Promise<any>}
     */
    async post (method, params) {
      // All three at once: the main thread takes them one after the other, with nothing of the application's between them.
      const [, reply, tookMs] = await Promise.all([mark(true), post(method, params), mark(false)])
      totalMs += tookMs
      return reply
    }
  }
}

module.exports = { MainClient, createOwnWork }
