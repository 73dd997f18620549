'use strict'

// Keeps the marks of the process, labels for points in time: set by its code or over the admin surface. They are lost with the observer.

/** @import { Mark } from '../../types/diagnostics' */

const MAX_MARKS = 100

/** The last marks, oldest first. */
class Marks {
  /** @type {Mark[]} */
  #marks = []

  /** @param {Mark} mark  may be older than marks added before */
  add (mark) {
    const after = this.#marks.findLastIndex(({ at }) => at <= mark.at)
    this.#marks.splice(after + 1, 0, mark)
    if (this.#marks.length > MAX_MARKS) this.#marks.shift()
  }

  list () {
    return [...this.#marks]
  }

  /**
   * The marks within a time range, and the last one before it.
   * @param {number} from  milliseconds since the epoch
   * @param {number} to
   */
  around (from, to) {
    const last = this.#marks.findLastIndex(({ at }) => at < from)
    return this.#marks.slice(Math.max(0, last)).filter(({ at }) => at <= to)
  }
}

module.exports = { Marks, MAX_MARKS }
