'use strict'

// Which processes of a group a merged answer covers, and why the others are missing. Pure.

/** @import { GroupProcess } from '../../../types/group' */
/** @import { GroupAnswer } from './ask-group' */

/**
 * @param {GroupAnswer} answer
 * @param {boolean} [isStale]  whether the answer itself is marked as stale
 * @returns {GroupProcess}
 */
function toProcess ({ member: { pid, id }, up, problem, staleSince }, isStale = false) {
  return { pid, id, up, problem, isStale: isStale || staleSince !== null }
}

/** The coverage as text. @param {readonly GroupProcess[]} processes */
function describeCoverage (processes) {
  const missing = processes.filter(({ problem }) => problem !== null)
  const [all, answered] = [processes.length, processes.length - missing.length]
  if (missing.length === 0) return all === 1 ? 'its only process answered' : `all ${all} processes answered`
  const details = missing.map(({ pid, problem }) => `${pid} (${problem})`).join(', ')
  return `${answered} of ${all} processes answered; ${missing.length} did not: ${details}`
}

module.exports = { describeCoverage, toProcess }
