'use strict'

// The stretch of time of which a profile can be cut: what the recorder holds. What is chosen outside of it is moved into it.
// Pure; it requires nothing: the page has the same text as a script (html-page.js).

const SECOND_MS = 1000
const DAY_MS = 24 * 60 * 60_000

/**
 * In whole seconds, as the inputs have it.
 * @param {{ off: string | null, fromMs: number | null }} recorder
 * @param {{ startedAt: number, now: number }} times
 * @returns {{ fromMs: number, toMs: number } | null} null: there is nothing to cut from
 */
function recordedRange ({ off, fromMs }, { startedAt, now }) {
  if (off !== null) return null
  // Before its first window has ended the recorder holds what has happened since the start.
  const from = Math.min(fromMs ?? startedAt, now - SECOND_MS)
  return { fromMs: Math.floor(from / SECOND_MS) * SECOND_MS, toMs: Math.ceil(now / SECOND_MS) * SECOND_MS }
}

/**
 * @param {{ fromMs: number, toMs: number }} wanted
 * @param {{ fromMs: number, toMs: number }} range
 * @returns {{ fromMs: number, toMs: number, isMoved: boolean }} at least a second
 */
function clampRange (wanted, range) {
  const fromMs = clamp(wanted.fromMs, range.fromMs, range.toMs - SECOND_MS)
  const toMs = clamp(wanted.toMs, fromMs + SECOND_MS, range.toMs)
  return { fromMs, toMs, isMoved: fromMs !== wanted.fromMs || toMs !== wanted.toMs }
}

function clamp (value, least, most) {
  return Math.max(least, Math.min(most, value))
}

/**
 * The last such time of day that is not ahead.
 * @param {string} text  `12:03:10`, in the reader's zone
 * @param {number} latestMs
 * @returns {number | null} null: it is no time
 */
function timeOfDay (text, latestMs) {
  const [, hours, minutes, seconds = '0'] = /^(\d\d):(\d\d)(?::(\d\d))?/.exec(text) ?? []
  if (hours === undefined) return null
  const at = new Date(latestMs).setHours(Number(hours), Number(minutes), Number(seconds), 0)
  // Half a day: what lies a little ahead is meant to be today, and is moved.
  return at - latestMs > DAY_MS / 2 ? at - DAY_MS : at
}

module.exports = { recordedRange, clampRange, timeOfDay }
