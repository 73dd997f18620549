'use strict'

// What the observer asks the main thread, which may be stuck: every question has a time limit, and the last answer to each
// is kept for that case.

const { errors } = require('../../shared/base/errors')
const { createSharedTurn } = require('../../shared/base/coalescer')

/** @import { Answer, AskNames, Channel, Params } from '../../bridge/channel' */
/** @import { ToMain, ToObserver } from '../../bridge/messages' */

// A loop that turns answers within a few milliseconds. Longer than this and who asks is better served with what is known.
const ANSWER_MS = 300

/**
 * @typedef {{ value: any, at: number, isStale: boolean }} Known  at: milliseconds since the epoch of the answer
 */

/**
 * @param {object} parts
 * @param {Pick<Channel<ToMain, ToObserver>, 'ask' | 'askWithin'>} parts.channel
 * @param {number} [parts.answerMs]
 */
function createMainClient (parts) {
  return new MainClient(parts)
}

class MainClient {
  #channel
  #answerMs
  /** @type {Map<string, { value: any, at: number }>} */
  #known = new Map()
  /** @type {Map<string, ReturnType<typeof createSharedTurn>>} */
  #turns = new Map()

  /** @param {Parameters<typeof createMainClient>[0]} parts */
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
   * The answer, or the last one when the main thread does not answer now.
   * @param {'loop' | 'syncCalls' | 'memory' | 'metrics'} name
   * @param {number} application
   * @returns {Promise<Known>}
   */
  async know (name, application) {
    const key = `${application} ${name}`
    const turn = this.#turns.get(key) ?? createSharedTurn({ take: () => this.ask(name, { application }) })
    this.#turns.set(key, turn)
    try {
      const value = await turn.share()
      this.#known.set(key, { value, at: Date.now() })
      return { value, at: Date.now(), isStale: false }
    } catch (error) {
      const known = this.#known.get(key)
      if (known === undefined) throw error
      return { ...known, isStale: true }
    }
  }

  /** @param {number} application  that was closed */
  forget (application) {
    for (const map of [this.#known, this.#turns]) {
      for (const key of map.keys()) if (key.startsWith(`${application} `)) map.delete(key)
    }
  }
}

module.exports = { createMainClient }
