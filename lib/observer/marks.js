'use strict'

// The marks of the process, labels for points in time: made by its code, or over the admin surface. They are lost with the observer.

/** @import { Mark } from '../../types/diagnostics' */

const MAX_MARKS = 100

/** The last ones, oldest first. */
class Marks {
  /** @type {Mark[]} */
  #marks = []

  /** @param {Mark} mark  it may have been made before one that is here already */
  add (mark) {
    const after = this.#marks.findLastIndex(({ at }) => at <= mark.at)
    this.#marks.splice(after + 1, 0, mark)
    if (this.#marks.length > MAX_MARKS) this.#marks.shift()
  }

  list () {
    return [...this.#marks]
  }

  /**
   * Those that fall into a time, and before them the one that it began under.
   * @param {number} from  milliseconds since the epoch
   * @param {number} to
   */
  around (from, to) {
    const last = this.#marks.findLastIndex(({ at }) => at < from)
    return this.#marks.slice(Math.max(0, last)).filter(({ at }) => at <= to)
  }
}

module.exports = { Marks, MAX_MARKS }
