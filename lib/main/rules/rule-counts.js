'use strict'

// What rules did, counted where the metrics are read.

/** @import { RuleOutcome } from '../../../types/rules' */

/** @typedef {{ rule: string, outcome: RuleOutcome, actions: number }} RuleEvent */

function createRuleCounts () {
  /** Rules and outcomes are closed sets, so this is bounded. @type {Map<string, RuleEvent>} */
  const totals = new Map()
  return {
    /** @param {RuleEvent} event */
    note ({ rule, outcome, actions }) {
      const key = `${outcome} ${rule}`
      const total = totals.get(key) ?? { rule, outcome, actions: 0 }
      totals.set(key, { ...total, actions: total.actions + actions })
    },

    read: () => [...totals.values()]
  }
}

module.exports = { createRuleCounts }
