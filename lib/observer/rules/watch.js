'use strict'

// Watches one rule: whether its conditions hold, since when, and the result of each firing. It uses no clock and no files.

const { doesNeed, judge } = require('../../shared/rules/conditions')
const { keyOf, newFiring, showRule, suspectOf } = require('./firing')
const { unattended } = require('../../base/guard')

/** @import { RuleOutcome, RuleStatus } from '../../../types/rules' */
/** @import { Judged, Readings } from '../../shared/rules/conditions' */
/** @import { Rule } from '../../api/options/check-rules' */
/** @import { Firing, Suspect } from './firing' */

/** @typedef {{ outcome: RuleOutcome, problem: string | null, pauseMs: number }} RunResult  pauseMs: how long another try would also be refused */

// With more culprits the map is cleared: it only saves lookups, the limits are kept elsewhere.
const MAX_CULPRITS = 200

class Watch {
  #rule
  #act
  #isBusy = false
  /** @type {{ nowMs: number, at: number } | null} */
  #heldSince = null
  /** @type {Map<string, number>} by culprit: until when another try would be refused */
  #pauses = new Map()
  /** @type {Judged[]} */
  #judged = []
  /** @type {RuleStatus['last']} */
  #last = null
  /** @type {Record<RuleOutcome, number>} */
  #counts = { done: 0, failed: 0, limited: 0, 'dry-run': 0 }

  /** @param {{ rule: Rule, act: (rule: Rule, firing: Firing) => Promise<RunResult> }} parts */
  constructor ({ rule, act }) {
    this.#rule = rule
    this.#act = act
  }

  /** @param {Readings} readings @param {Suspect} [suspect]  where the current stall names it */
  see (readings, suspect) {
    const judged = judge(this.#rule, readings)
    this.#judged = judged
    if (judged.some(({ isMet }) => isMet === false)) this.#heldSince = null
    // A condition that cannot be judged now neither begins nor ends it.
    if (!judged.every(({ isMet }) => isMet === true)) return
    const { nowMs, at } = readings
    this.#heldSince ??= { nowMs, at }
    if (nowMs - this.#heldSince.nowMs < this.#rule.forSeconds * 1e3 || this.#isBusy) return
    const firing = newFiring(this.#rule, judged, suspect ?? suspectOf(this.#rule, readings), at)
    if (nowMs >= (this.#pauses.get(keyOf(firing.culprit)) ?? 0)) unattended(this.#take(firing, nowMs))
  }

  /** @param {Firing} firing @param {number} nowMs */
  async #take (firing, nowMs) {
    this.#isBusy = true
    try {
      const { outcome, problem, pauseMs } = await this.#act(this.#rule, firing)
      this.#counts[outcome]++
      this.#last = { ...firing, outcome, problem }
      if (this.#pauses.size >= MAX_CULPRITS) this.#pauses.clear()
      this.#pauses.set(keyOf(firing.culprit), nowMs + pauseMs)
    } finally {
      this.#isBusy = false
    }
  }

  /** @returns {Omit<RuleStatus, 'isHere'>} */
  status () {
    return {
      ...showRule(this.#rule),
      now: this.#judged.map(({ name, value, isMet }) => ({ name, value, isMet })),
      heldSince: doesNeed(this.#rule, 'stall') ? null : this.#heldSince?.at ?? null,
      counts: { ...this.#counts },
      last: this.#last
    }
  }
}

module.exports = { Watch }
