'use strict'

// Formats a rule and its state as text. Pure; it requires nothing, because the page loads this file as a script (html-page.js).

/** @import { RuleStatus } from '../../../types/rules' */

/** @param {Pick<RuleStatus, 'when' | 'withinSeconds' | 'forSeconds'>} rule */
function describeWhen ({ when, withinSeconds, forSeconds }) {
  const conditions = Object.entries(when).map(([name, wanted]) => typeof wanted === 'string' ? `${name} ${wanted}` : `${name} >= ${wanted}`)
  const within = withinSeconds === null ? '' : ` within ${withinSeconds} s`
  return `${conditions.join(' and ')}${within}${forSeconds === 0 ? '' : `, for ${forSeconds} s`}`
}

/** @param {Pick<RuleStatus, 'isHere' | 'limit' | 'now' | 'heldSince' | 'when'>} status */
function describeState ({ isHere, limit, now, heldSince, when }) {
  if (!isHere) return `inactive in this process (everyNth ${limit.everyNth})`
  if (when.stallMs !== undefined) return 'waiting for a stall'
  if (heldSince !== null) return 'condition met'
  const unknown = now.length === 0 || now.some(({ isMet }) => isMet === null)
  return unknown ? 'no data yet' : 'condition not met'
}

/** @param {Pick<RuleStatus, 'counts'>} status */
function describeCounts ({ counts }) {
  const some = Object.entries(counts).filter(([, count]) => count > 0)
  return some.length === 0 ? '-' : some.map(([outcome, count]) => `${count} ${outcome}`).join(', ')
}

/** @param {RuleStatus['last']} last */
function describeLast (last) {
  if (last === null) return '-'
  const { outcome, problem, conditions, culprit, artifacts } = last
  const where = culprit === null ? '' : ` in ${culprit.function || '(anonymous)'} (${culprit.file}:${culprit.line})`
  const values = conditions.map(({ name, value, wanted }) => typeof wanted === 'string' ? `${name} ${wanted}` : `${name} ${value}`).join(', ')
  const files = artifacts.map(({ name }) => `, wrote ${name}`).join('')
  return `${outcome}${problem === null ? '' : ` (${problem})`}: ${values}${where}${files}`
}

module.exports = { describeCounts, describeLast, describeState, describeWhen }
