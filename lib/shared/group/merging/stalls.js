'use strict'

// The stalls of all processes of a group, newest first, each with its process; totals added up. Pure.

const { sumBy } = require('./sum-by')

/** @import { Part } from '../group-answers' */
/** @import { GroupStalls, StallTotals } from '../../../../types/group' */

const MAX_STALLS = 200 // as one process keeps

/**
 * @param {readonly Part[]} parts
 * @returns {Pick<GroupStalls, 'stalls' | 'current' | 'blocked' | 'totals'>}
 */
function mergeStalls (parts) {
  const ofProcess = (/** @type {Part} */ { member: { pid } }) => (/** @type {any} */ stall) => ({ pid, ...stall })
  return {
    stalls: parts.flatMap(part => part.answer.stalls.map(ofProcess(part)))
      .sort((left, right) => right.at - left.at).slice(0, MAX_STALLS),
    current: parts.flatMap(part => part.answer.current === null ? [] : [ofProcess(part)(part.answer.current)])
      .sort((left, right) => right.durationMs - left.durationMs),
    blocked: blockedOf(parts),
    totals: sumTotals(parts.map(({ answer }) => answer.totals))
  }
}

/**
 * @param {readonly Part[]} parts
 * @returns {{ pid: number, blockedMs: number }[]} whose loops are stuck now, longest first
 */
function blockedOf (parts) {
  return parts.filter(({ answer }) => answer.blockedMs > 0)
    .map(({ member: { pid }, answer: { blockedMs } }) => ({ pid, blockedMs }))
    .sort((left, right) => right.blockedMs - left.blockedMs)
}

/**
 * @param {readonly StallTotals[]} all
 * @returns {StallTotals}
 */
function sumTotals (all) {
  return {
    count: all.reduce((sum, { count }) => sum + count, 0),
    blockedMs: all.reduce((sum, { blockedMs }) => sum + blockedMs, 0),
    byCause: sumBy(all.flatMap(({ byCause }) => byCause), ({ cause }) => cause, ['count', 'ms']),
    byRoute: sumBy(all.flatMap(({ byRoute }) => byRoute), ({ route }) => route, ['count', 'ms']).sort((left, right) => right.ms - left.ms)
  }
}

module.exports = { mergeStalls }
