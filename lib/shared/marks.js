'use strict'

// Marks, labels for points in time: set by the code of the process or over the admin surface. The observer keeps them, and they are lost with it.

const { refuse } = require('../base/validate')

/** @import { Mark } from '../../types/diagnostics' */

const MAX_MARKS = 100
// Logs, tables and charts show it on one line.
const TEXT = /^(?=.*\S)[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u

/** One of this moment. @param {unknown} text @returns {Mark} */
function newMark (text) {
  if (typeof text !== 'string' || !TEXT.test(text)) refuse('mark', 'a text of 1 to 200 printable characters', text)
  return { at: Date.now(), text }
}

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

module.exports = { Marks, MAX_MARKS, newMark }
