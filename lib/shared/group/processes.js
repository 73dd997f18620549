'use strict'

// Who is in a merged answer, and who is not and why. Pure.

/** @import { GroupProcess } from '../../../types/group' */
/** @import { GroupAnswer } from './ask-group' */

/**
 * @param {GroupAnswer} answer
 * @param {boolean} [isStale]  as the answer itself says
 * @returns {GroupProcess}
 */
function toProcess ({ member: { pid, id }, up, problem, staleSince }, isStale = false) {
  return { pid, id, up, problem, isStale: isStale || staleSince !== null }
}

/**
 * In words, for every answer that people read.
 * @param {readonly GroupProcess[]} processes
 */
function describeCoverage (processes) {
  const missing = processes.filter(({ problem }) => problem !== null)
  const [all, there] = [processes.length, processes.length - missing.length]
  if (missing.length === 0) return all === 1 ? 'the one process of it answered' : `all ${all} processes answered`
  const whom = missing.map(({ pid, problem }) => `${pid} (${problem})`).join(', ')
  return `${there} of ${all} processes answered; ${missing.length} did not: ${whom}`
}

module.exports = { describeCoverage, toProcess }
