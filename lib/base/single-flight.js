'use strict'

// Runs one call at a time and shares it: callers that arrive during a run share the next one. So every caller gets a result that was produced after
// it asked, and a crowd of callers costs at most two runs.

const { setTimeout: sleep } = require('node:timers/promises')
const { Promise } = require('./globals')

/** @template T */
class SingleFlight {
  #take
  #restMs
  /** Resolves when the next run may begin. @type {Promise<unknown>} */
  #free = Promise.resolve()
  /** The run that has not begun yet, shared by all callers until it does. @type {Promise<T> | undefined} */
  #next

  /**
   * @param {object} parts
   * @param {() => Promise<T>} parts.take
   * @param {() => number} [parts.restMs]  called after each run: how long to wait before the next one
   */
  constructor ({ take, restMs = () => 0 }) {
    this.#take = take
    this.#restMs = restMs
  }

  /** Whether a run waits to begin, which a call to share() would join. */
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

module.exports = { SingleFlight }
