'use strict'

// What was wrong before the observed time and is over, by the same rules: right after an incident it is not true that all is well. Pure.

const { rounded } = require('./words')

/** @import { Finding } from '../../../types/findings' */
/** @import { Readings } from './readings' */

const MAX_OVER = 3

/**
 * @param {readonly Readings[]} earlier
 * @param {(readings: Readings) => Finding[]} findIn
 * @param {readonly Finding[]} now  what is still so is not over
 * @returns {Finding[]} what cost the most time first
 */
function findOver (earlier, findIn, now) {
  /** @type {Map<string, Finding>} */
  const byPlace = new Map(now.map(finding => [keyOf(finding), finding]))
  for (const readings of earlier) {
    for (const finding of findIn(readings).filter(({ severity }) => severity === 'critical' || severity === 'warning')) {
      const key = keyOf(finding)
      const known = byPlace.get(key)
      if (known === undefined || known.over !== null) byPlace.set(key, joined(known, toOver(finding, readings)))
    }
  }
  return [...byPlace.values()].filter(({ over }) => over !== null).sort((left, right) => right.lostMs - left.lostMs).slice(0, MAX_OVER)
}

/** @param {Finding} finding */
function keyOf ({ id, where }) {
  return JSON.stringify([id, where && [where.function, where.file]])
}

/**
 * @param {Finding} finding
 * @param {Readings} readings  of its stretch
 * @returns {Finding}
 */
function toOver (finding, { stalls }) {
  const from = Math.min(...stalls.map(({ at }) => at))
  const to = Math.max(...stalls.map(({ at, durationMs }) => at + durationMs))
  return { ...finding, severity: 'warning', title: inPast(finding.title), what: inPast(finding.what), over: { from: Math.round(from), to: Math.round(to) } }
}

/**
 * The same in another stretch, as the later one says it.
 * @param {Finding | undefined} earlier
 * @param {Finding} later
 * @returns {Finding}
 */
function joined (earlier, later) {
  if (!earlier?.over || !later.over) return later
  return { ...later, since: earlier.since, lostMs: rounded(earlier.lostMs + later.lostMs), over: { from: earlier.over.from, to: later.over.to } }
}

/** @param {string} text */
function inPast (text) {
  return text.replace(', and in the last second,', ',').replace(/\bspends\b/g, 'spent').replace(/\b(of|in) the last (?=\d)/gi, '$1 ')
}

module.exports = { findOver }
