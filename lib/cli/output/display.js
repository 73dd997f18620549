'use strict'

// Formats durations, shares, code locations, stalls and worker threads for people; times of day are in base/local-time.js. Pure, except that
// columns of times depend on today's date.

const { showPosition } = require('../../formats/profile/frame')
const { describeCulprit } = require('../../shared/stalls/stall-line')
const { localTime, shortLocalTime } = require('../../base/local-time')

/** @import { CodeFrame, Stall } from '../../../types/diagnostics' */

const BARS = '▁▂▃▄▅▆▇█'
const WIDE_COLUMNS = 120 // from which tables show more than a terminal of 80 has room for

/** Of a row about one process. @type {import('./table').Column} */
const PID_COLUMN = Object.freeze({ title: 'PID', isNumber: true, cell: ({ pid }) => String(pid) })

/** @type {readonly import('./table').Column[]} */
const THREAD_COLUMNS = Object.freeze([
  { title: 'THREAD', cell: ({ name }) => name },
  { title: 'BUSY', isNumber: true, cell: ({ busyMs, observedMs }) => observedMs === 0 ? '-' : showShare(busyMs / observedMs) },
  { title: 'LONGEST', isNumber: true, cell: ({ longestMs }) => longestMs === 0 ? '-' : showDuration(longestMs) },
  { title: 'STALLS', isNumber: true, cell: ({ stalls }) => String(stalls) },
  { title: 'MOSTLY IN', endsWithLocation: true, cell: ({ top, problem }) => problem === null ? showLocation(top) : `not observed: ${problem}` }
])

/**
 * When something was; on a narrow terminal without what goes without saying.
 * @param {number} width  of the terminal
 * @param {number} [nowMs]
 * @returns {import('./table').Column}
 */
function timeColumn (width, nowMs = Date.now()) {
  return { title: 'TIME', isWhole: true, cell: ({ at }) => width < WIDE_COLUMNS ? shortLocalTime(at, nowMs) : localTime(at) }
}

/** @param {number} ms */
function showDuration (ms) {
  if (ms < 10) return `${ms.toFixed(1)} ms`
  return ms < 10_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1e3).toFixed(1)} s`
}

/** @param {number} share  0 to 1, or more of several CPUs @param {number} [digits] */
function showShare (share, digits = 0) {
  return `${(share * 100).toFixed(digits)} %`
}

/** One character for each value. @param {readonly number[]} values @param {string} [zero] */
function sparkline (values, zero = BARS[0]) {
  const top = Math.max(...values, 1)
  return values.map(value => value === 0 ? zero : BARS[Math.min(BARS.length - 1, Math.floor(value / top * BARS.length))]).join('')
}

/** @param {Pick<CodeFrame, 'function' | 'file' | 'line' | 'column'> | null} frame */
function showLocation (frame) {
  if (frame === null) return '-'
  return frame.file === '' ? frame.function : `${frame.function} ${showPosition(frame)}`
}

/** @param {Pick<Stall, 'culprit' | 'route'> & { stack?: Stall['stack'] | null }} stall */
function showCulprit ({ culprit, route, stack }) {
  return culprit === null ? '-' : describeCulprit(culprit, { route, stack: stack ?? [] })
}

/** @param {Pick<Stall, 'cause' | 'startingUp'>} stall */
function showCause ({ cause, startingUp }) {
  return startingUp ? `${cause}, starting up` : cause
}

module.exports = { PID_COLUMN, THREAD_COLUMNS, WIDE_COLUMNS, showCause, showCulprit, showDuration, showLocation, showShare, sparkline, timeColumn }
