'use strict'

// Marks, labels for points in time: the last ones of a process, a new one, and the times before and after one. Both threads keep them: the observer
// answers while the main thread is stuck, and the main thread hands them to the next observer when one is lost.

const { errors } = require('./base/errors')
const { refuse } = require('./base/validate')

/** @import { Mark } from '../../types/diagnostics' */

/**
 * @typedef {object} KnownMarks  as a process tells them
 * @property {Mark[]} marks
 * @property {number} at  its time
 * @property {{ off: string | null, fromMs: number | null }} recorder  from when on it holds something
 */

const MAX_MARKS = 100
// Logs, tables and charts show it on one line.
const TEXT = /^(?=.*\S)[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u
const LEAST_MS = 1000 // less than a hundred samples tells nothing
const MAX_NAMED = 10

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

/**
 * One of this moment.
 * @param {unknown} text
 * @returns {Mark}
 */
function newMark (text) {
  if (typeof text !== 'string' || !TEXT.test(text)) refuse('mark', 'a text of 1 to 200 printable characters', text)
  return { at: Date.now(), text }
}

/**
 * The two times that are compared for a mark: before it and after it, equally long, and as long as the recorder allows.
 * @param {KnownMarks} known
 * @param {string} text  of several the last is meant
 * @returns {{ mark: Mark, fromMs: number, toMs: number }}
 * @throws ERR_LOOPSCOPE_UNKNOWN_MARK, ERR_LOOPSCOPE_MARK_OUT_OF_REACH, ERR_LOOPSCOPE_RECORDER_OFF
 */
function timeAround ({ marks, at: nowMs, recorder: { off, fromMs } }, text) {
  const mark = marks.findLast(one => one.text === text)
  if (mark === undefined) throw new errors.ERR_LOOPSCOPE_UNKNOWN_MARK(text, listed(marks))
  if (off !== null || fromMs === null) throw new errors.ERR_LOOPSCOPE_RECORDER_OFF(off ?? 'no window has ended yet')
  const lengthOf = (/** @type {Mark} */ { at }) => Math.min(at - fromMs, nowMs - at)
  const spanMs = lengthOf(mark)
  if (spanMs >= LEAST_MS) return { mark, fromMs: mark.at - spanMs, toMs: mark.at + spanMs }
  const others = listed(marks.filter(one => lengthOf(one) >= LEAST_MS))
  const why = mark.at - fromMs < LEAST_MS
    ? `it is ${secondsOf(nowMs - mark.at)} old, and the recorder holds the last ${secondsOf(nowMs - fromMs)}`
    : 'it was made just now'
  throw new errors.ERR_LOOPSCOPE_MARK_OUT_OF_REACH(text, why, others)
}

/** @param {Mark[]} marks */
function listed (marks) {
  const texts = [...new Set(marks.map(({ text }) => `'${text}'`))]
  return texts.length === 0 ? 'none' : texts.slice(-MAX_NAMED).join(', ')
}

/** @param {number} ms */
function secondsOf (ms) {
  return `${Math.round(ms / 1e3)} s`
}

module.exports = { Marks, MAX_MARKS, newMark, timeAround }
