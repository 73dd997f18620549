'use strict'

// Whether a problem that was there before the last mark, such as a deployment, is there again after it. Pure.

/** @import { Mark, Stall } from '../../../types/diagnostics' */
/** @import { Again, Finding } from '../../../types/findings' */

/**
 * @param {Pick<Finding, 'where' | 'over'>} finding
 * @param {readonly Stall[]} stalls  the kept ones
 * @param {readonly Mark[]} marks  oldest first
 * @returns {Again | null}
 */
function againSince ({ where, over }, stalls, marks) {
  const mark = marks.at(-1)
  if (mark === undefined || where === null || over !== null) return null
  const same = stalls.filter(({ culprit }) => culprit !== null && culprit.function === where.function && culprit.file === where.file)
  const before = same.filter(({ at, durationMs }) => at + durationMs <= mark.at)
  const after = same.filter(({ at }) => at > mark.at)
  if (before.length === 0 || after.length === 0) return null
  return { mark: mark.text, markedAt: mark.at, lastBefore: Math.max(...before.map(({ at }) => at)), firstAfter: Math.min(...after.map(({ at }) => at)) }
}

module.exports = { againSince }
