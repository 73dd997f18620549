'use strict'

// Stalls that no other finding names a reason for, where together they are a loss: then at least what is known of them is said. The last
// rule: it is asked with what the others found.

const { dependencyOf } = require('../../formats/profile/frame')
const { makeFinding } = require('../finding')
const { observedMsOf } = require('../readings')
const { duration, percent, placed, rounded, times } = require('../words')

/** @import { Culprit, Stall } from '../../../../types/diagnostics' */
/** @import { Finding } from '../../../../types/findings' */
/** @import { Rule } from '../finding' */
/** @import { Readings } from '../readings' */

// One request in twenty came at that time.
const MIN_SHARE = 0.05
// Or one turn of the loop in a hundred was as late as this, and nothing else was found.
const MAX_DELAY_P99_MS = 100
// A single short stall in a minute is a first call that was compiled, a collection, a busy machine.
const MIN_STALLS = 2
const LONG_STALL = 5
const MAX_NAMED = 3
const MOST = 0.5

/** Findings that are about all stalls of a cause, or about all that happened. */
const BY_CAUSE = /** @type {Record<string, readonly Stall['cause'][]>} */ ({
  starved: ['starved'],
  suspended: ['suspended'],
  'gc-pressure': ['gc'],
  'heap-grows': ['gc'],
  'task-flood': ['code', 'gc', 'unknown']
})

/** @type {Rule} */
module.exports = {
  ids: ['unexplained-stalls'],
  explains: ['slow-elsewhere'],
  find (readings, found) {
    const { stalls, process, thresholdMs, pid } = readings
    const explaining = found.filter(({ severity }) => severity === 'critical' || severity === 'warning')
    const left = stalls.filter(stall => !explaining.some(finding => isExplained(stall, finding)))
    const ms = sum(left)
    const longestMs = Math.max(0, ...left.map(({ durationMs }) => durationMs))
    const share = ms / Math.max(1, observedMsOf(readings))
    if (left.length < MIN_STALLS && longestMs < thresholdMs * LONG_STALL) return []
    if (share < MIN_SHARE && (explaining.length > 0 || (process?.delay.p99Ms ?? 0) < MAX_DELAY_P99_MS)) return []
    const routes = by(left, ({ route }) => route)
    const places = by(left, ({ culprit }) => culprit && placeOf(culprit))
    const culprit = left.findLast(stall => stall.culprit !== null && placeOf(stall.culprit) === places.find(({ name }) => name !== null)?.name)?.culprit ?? null
    const [{ name: route, ms: routeMs }] = routes
    const isMostly = route !== null && routeMs >= ms * MOST
    return [makeFinding(readings, {
      id: 'unexplained-stalls',
      title: `Stalls take ${percent(share)} of the time: ${times(left.length, 'stall')} of up to ${duration(longestMs)}${isMostly ? `, most of it in ${route}` : ''}.`,
      lostMs: ms,
      since: Math.min(...left.map(({ at }) => at)),
      what: [
        `They held the loop for ${duration(ms)} of the last ${duration(observedMsOf(readings))}.`,
        `By route: ${list(routes, 'outside requests, or not known')}.`,
        `By code: ${list(places, 'not known')}.`,
        `By cause: ${list(by(left, ({ cause }) => cause), '')}.`
      ].join(' '),
      where: culprit && { function: culprit.function, file: culprit.file, line: culprit.line, column: culprit.column, via: culprit.via, route: isMostly ? route : null },
      why: 'each may be short, and no single place has enough of them to be named alone; while one lasts, everything else waits',
      instead: 'begin with what is first by code; the list of stalls has the stack of each, and a profile shows what they have in common',
      evidence: { stalls: left.length, stalledMs: ms, longestStallMs: longestMs, stalledShare: rounded(share, 3), delayP99Ms: process && rounded(process.delay.p99Ms) },
      confidence: 'medium',
      next: [`npx loopscope stalls ${pid}`, `npx loopscope profile ${pid}`]
    })]
  }
}

/**
 * @param {Stall} stall
 * @param {Finding} finding
 */
function isExplained ({ cause, culprit, startingUp, stack }, { id, where }) {
  if (BY_CAUSE[id]?.includes(cause) || (id === 'start-up' && startingUp)) return true
  if (where === null) return false
  const dependency = dependencyOf(where)
  if (culprit !== null && dependency !== null && dependency === dependencyOf(culprit)) return true
  return [culprit, ...stack].some(frame => frame !== null && frame.function === where.function && frame.file === where.file)
}

/** @param {Culprit} culprit */
function placeOf (culprit) {
  const dependency = dependencyOf(culprit)
  return dependency === null ? placed(culprit) : `the package ${dependency}`
}

/**
 * @param {readonly Stall[]} stalls
 * @param {(stall: Stall) => string | null} nameOf  null: not known
 * @returns {{ name: string | null, ms: number }[]} those with the most time first
 */
function by (stalls, nameOf) {
  /** @type {Map<string | null, number>} */
  const parts = new Map()
  for (const stall of stalls) parts.set(nameOf(stall), (parts.get(nameOf(stall)) ?? 0) + stall.durationMs)
  return [...parts].map(([name, ms]) => ({ name, ms })).sort((left, right) => right.ms - left.ms)
}

/** @param {readonly Stall[]} stalls */
function sum (stalls) {
  return stalls.reduce((ms, { durationMs }) => ms + durationMs, 0)
}

/**
 * @param {{ name: string | null, ms: number }[]} parts
 * @param {string} unknown
 */
function list (parts, unknown) {
  const rest = parts.slice(MAX_NAMED).reduce((ms, part) => ms + part.ms, 0)
  const named = parts.slice(0, MAX_NAMED).map(({ name, ms }) => `${name ?? unknown} ${duration(ms)}`)
  return [...named, ...(rest === 0 ? [] : [`others ${duration(rest)}`])].join(', ')
}
