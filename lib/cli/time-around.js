'use strict'

// The times before and after a mark, which `diff --mark` compares. Pure.

const { errors } = require('../base/errors')

/** @import { Mark } from '../../types/diagnostics' */

/**
 * @typedef {object} KnownMarks  as GET /marks has them
 * @property {Mark[]} marks
 * @property {number} at  the time of the process
 * @property {{ off: string | null, fromMs: number | null }} recorder  from when on it holds something
 */

const LEAST_MS = 1000 // less than a hundred samples are not meaningful
const MAX_NAMED = 10

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

module.exports = { timeAround }
