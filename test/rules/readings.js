'use strict'

// Readings as the observer gathers them, and rules as the option has them after its checks.

const { checkRules } = require('../../lib/api/options/check-rules')

/** @param {Partial<import('../../lib/shared/rules/conditions').Readings>} [given] */
function readingsOf (given) {
  return { nowMs: 100_000, at: 1e12, sinceMs: 0, stall: null, stalls: [], loop: [], rssBytes: 50e6, findings: null, ...given }
}

function ruleOf (given) {
  const [rule] = checkRules('rules', [{ do: [{ log: 'info' }], ...given }])
  return rule
}

module.exports = { readingsOf, ruleOf }
