'use strict'

// Counts what the rules of all applications did, by rule and outcome.

/** @import { RuleOutcome } from '../../../types/rules' */
/** @import { RuleTotal } from '../counts' */

class RuleCounts {
  /** Rules and outcomes are closed sets, so this is bounded. @type {Map<string, RuleTotal>} */
  #totals = new Map()

  /**
   * @param {string} rule
   * @param {RuleOutcome} outcome
   * @param {number} actions
   */
  count (rule, outcome, actions) {
    const key = `${outcome} ${rule}`
    const total = this.#totals.get(key) ?? { rule, outcome, actions: 0 }
    total.actions += actions
    this.#totals.set(key, total)
  }

  counts () {
    return [...this.#totals.values()]
  }
}

module.exports = { RuleCounts }
