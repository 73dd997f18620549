'use strict'

// The last marks of a process, oldest first. Both threads keep them: the observer answers while the main thread is stuck, and the main
// thread tells them to the next observer when one is lost.

/** @import { Mark } from '../../../types/diagnostics' */

const MAX_MARKS = 100

function createMarks () {
  return new Marks()
}

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

module.exports = { createMarks, MAX_MARKS }
