'use strict'

// What the observer asks the main thread, which may be stuck: every question has a time limit, and the last answer to each
// is kept for that case.

const { errors, fromPlain } = require('../../shared/base/errors')
const { createSharedTurn } = require('../../shared/base/shared-turn')
const { guarded } = require('../../shared/base/guard')

// A loop that turns answers within a few milliseconds. Longer than this and who asks is better served with what is known.
const ANSWER_MS = 300

/**
 * @typedef {{ value: any, at: number, isStale: boolean }} Known  at: milliseconds since the epoch of the answer
 */

/**
 * @param {object} parts
 * @param {(message: object) => void} parts.send
 * @param {number} [parts.answerMs]
 */
function createMainThread (parts) {
  return new MainThread(parts)
}

class MainThread {
  #send
  #answerMs
  #sequence = 0
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  #waiting = new Map()
  /** @type {Map<string, { value: any, at: number }>} */
  #known = new Map()
  /** @type {Map<string, ReturnType<typeof createSharedTurn>>} */
  #turns = new Map()

  /** @param {Parameters<typeof createMainThread>[0]} parts */
  constructor ({ send, answerMs = ANSWER_MS }) {
    this.#send = send
    this.#answerMs = answerMs
  }

  /**
   * @param {string} name
   * @param {unknown} [argument]
   * @param {number} [answerMs]  Infinity: as long as it takes
   * @returns {Promise<any>}
   * @throws ERR_LOOPSCOPE_LOOP_BLOCKED
   */
  ask (name, argument, answerMs = this.#answerMs) {
    const id = ++this.#sequence
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    const timer = Number.isFinite(answerMs) ? setTimeout(guarded(() => this.#giveUp(id, answerMs)), answerMs) : undefined
    this.#send({ type: 'ask', id, name, argument })
    return answer.finally(() => {
      clearTimeout(timer)
      this.#waiting.delete(id)
    })
  }

  /**
   * The answer, or the last one when the main thread does not answer now.
   * @param {string} name
   * @param {number} [site]
   * @returns {Promise<Known>}
   */
  async know (name, site) {
    const key = `${site ?? ''} ${name}`
    const turn = this.#turns.get(key) ?? createSharedTurn({ take: () => this.ask(name, { site }) })
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

  /** @param {number} site  that was closed */
  forget (site) {
    for (const map of [this.#known, this.#turns]) {
      for (const key of map.keys()) if (key.startsWith(`${site} `)) map.delete(key)
    }
  }

  /** @param {{ id: number, value?: any, error?: { message: string, code?: string } }} message */
  told ({ id, value, error }) {
    const waiting = this.#waiting.get(id)
    if (error === undefined) waiting?.resolve(value)
    else waiting?.reject(fromPlain(error))
  }

  /**
   * @param {number} id
   * @param {number} answerMs
   */
  #giveUp (id, answerMs) {
    this.#waiting.get(id)?.reject(new errors.ERR_LOOPSCOPE_LOOP_BLOCKED(answerMs))
  }
}

module.exports = { createMainThread }
