'use strict'

// Readings in, one ranked answer out: every rule is asked, what another finding explains is left out, and the rest is ranked by the time
// that was lost. Where nothing is wrong, or too little was seen to tell, that is the answer. Pure.

const { inFlightOf, observedMsOf, requestsPerSecond, utilizationOf, workersOf } = require('./readings')
const { otherwise } = require('./otherwise')
const { findOver } = require('./over')
const { RULES } = require('./rules')
const { rounded } = require('./words')

/** @import { Finding, Findings } from '../../../types/findings' */
/** @import { Rule } from './finding' */
/** @import { Readings } from './readings' */

const RANKS = Object.freeze({ critical: 0, warning: 1, info: 2, none: 3 })

/**
 * @param {Readings} readings
 * @param {{ appName: string }} facts
 * @param {readonly Rule[]} [rules]
 * @returns {Findings}
 */
function findFindings (readings, { appName }, rules = RULES) {
  const { at, pid, blockedMs, isStale } = readings
  const findIn = (/** @type {Readings} */ some) => {
    /** @type {{ finding: Finding, rule: Rule }[]} */
    const all = []
    for (const rule of rules) all.push(...rule.find(some, all.map(({ finding }) => finding)).map(finding => ({ finding, rule })))
    return withoutExplained(all)
  }
  const ranked = findIn(readings).toSorted((left, right) => RANKS[left.severity] - RANKS[right.severity] || right.lostMs - left.lostMs)
  // What is only for information does not say that nothing is wrong.
  const isWrong = (/** @type {Finding} */ { severity }) => severity === 'critical' || severity === 'warning'
  const wrong = [...ranked.filter(isWrong), ...findOver(readings.earlier ?? [], findIn, ranked)]
  return {
    at,
    pid,
    appName,
    observedSeconds: rounded(observedMsOf(readings) / 1e3),
    observed: observedOf(readings),
    blockedMs: Math.round(blockedMs),
    isStale,
    figures: figuresOf(readings),
    findings: [...wrong.length > 0 ? wrong : [otherwise(readings)], ...ranked.filter(finding => !isWrong(finding))]
  }
}

/**
 * @param {{ finding: Finding, rule: Rule }[]} found
 * @returns {Finding[]}
 */
function withoutExplained (found) {
  const isExplained = (/** @type {Finding} */ { id }) => found.some(({ finding, rule }) => {
    return finding.id !== id && finding.severity !== 'info' && rule.explains.includes(id)
  })
  return found.map(({ finding }) => finding).filter(finding => !isExplained(finding))
}

/**
 * @param {Readings} readings
 * @returns {Findings['observed']}
 */
function observedOf ({ at, activity }) {
  return activity === null ? { from: at, to: at } : { from: Math.round(activity.fromMs), to: Math.round(activity.fromMs + activity.observedMs) }
}

/**
 * @param {Readings} readings
 * @returns {Findings['figures']}
 */
function figuresOf (readings) {
  const { activity, process, pace, stalls, blockedMs } = readings
  const inFlight = inFlightOf(readings)
  const workers = workersOf(readings)
  return {
    delayP99Ms: process === null ? null : rounded(process.delay.p99Ms),
    utilization: activity === null ? null : rounded(utilizationOf(readings), 3),
    workers: workers === null ? null : rounded(workers, 3),
    longestStallMs: Math.round(Math.max(0, blockedMs, ...stalls.map(({ durationMs }) => durationMs))),
    stalls: stalls.length,
    requestsPerSecond: pace.ms === 0 ? null : rounded(requestsPerSecond(readings)),
    requestsInFlight: inFlight === null ? null : rounded(inFlight)
  }
}

module.exports = { RANKS, findFindings }
