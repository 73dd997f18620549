'use strict'

// One at a time, however many ask: callers that arrive while one is under way share the next one, with all who come before it begins. So nobody
// gets what was found out before they asked, and a crowd costs no more than two.

const { setTimeout: sleep } = require('node:timers/promises')

/** @template T */
class Coalescer {
  #take
  #restMs
  /** Resolves when the next one may begin. @type {Promise<unknown>} */
  #free = Promise.resolve()
  /** The one that has not begun yet, which all who ask share. @type {Promise<T> | undefined} */
  #next

  /**
   * @param {object} parts
   * @param {() => Promise<T>} parts.take
   * @param {() => number} [parts.restMs]  asked after each: how long nothing is taken then
   */
  constructor ({ take, restMs = () => 0 }) {
    this.#take = take
    this.#restMs = restMs
  }

  /** Whether one waits to begin: whoever asks now shares it. */
  get isWaiting () { return this.#next !== undefined }

  /** @returns {Promise<T>} */
  share () {
    this.#next ??= this.#begin(this.#free)
    return this.#next
  }

  /** @param {Promise<unknown>} free */
  async #begin (free) {
    await free
    this.#next = undefined
    const taken = this.#take()
    this.#free = taken.then(() => {}, () => {}).then(() => this.#rest())
    return taken
  }

  async #rest () {
    const ms = this.#restMs()
    if (ms > 0) await sleep(ms, undefined, { ref: false })
  }
}

module.exports = { Coalescer }
