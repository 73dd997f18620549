'use strict'

// The watch over one rule: whether its conditions hold, since when, and what came of the occasions to act. It uses no clock and no files.

const { doesNeed, judge } = require('../../shared/rules/conditions')
const { keyOf, newOccasion, showRule, suspectOf } = require('../../shared/rules/occasion')
const { unattended } = require('../../shared/base/guard')

/** @import { RuleOutcome, RuleStatus } from '../../../types/rules' */
/** @import { Judged, Readings } from '../../shared/rules/conditions' */
/** @import { Rule } from '../../shared/rules/check-rules' */
/** @import { Occasion, Suspect } from '../../shared/rules/occasion' */

/** @typedef {{ outcome: RuleOutcome, problem: string | null, pauseMs: number }} Acted  pauseMs: so long there is no sense in trying again */

// Beyond these it begins anew: the limits are kept elsewhere, this only saves asking for them.
const MAX_CULPRITS = 200

class Watch {
  #rule
  #act
  #isBusy = false
  /** @type {{ nowMs: number, at: number } | null} */
  #heldSince = null
  /** @type {Map<string, number>} by culprit: until when there is no sense in trying again */
  #pauses = new Map()
  /** @type {Judged[]} */
  #judged = []
  /** @type {RuleStatus['last']} */
  #last = null
  /** @type {Record<RuleOutcome, number>} */
  #counts = { done: 0, failed: 0, limited: 0, 'dry-run': 0 }

  /**
   * @param {object} parts
   * @param {Rule} parts.rule
   * @param {(rule: Rule, occasion: Occasion) => Promise<Acted>} parts.act
   */
  constructor ({ rule, act }) {
    this.#rule = rule
    this.#act = act
  }

  /**
   * @param {Readings} readings
   * @param {Suspect} [suspect]  where this moment says it
   */
  see (readings, suspect) {
    const judged = judge(this.#rule, readings)
    this.#judged = judged
    if (judged.some(({ isMet }) => isMet === false)) this.#heldSince = null
    // What cannot be told now neither begins nor ends it.
    if (!judged.every(({ isMet }) => isMet === true)) return
    const { nowMs, at } = readings
    this.#heldSince ??= { nowMs, at }
    if (nowMs - this.#heldSince.nowMs < this.#rule.forSeconds * 1e3 || this.#isBusy) return
    const occasion = newOccasion(this.#rule, judged, suspect ?? suspectOf(this.#rule, readings), at)
    if (nowMs >= (this.#pauses.get(keyOf(occasion.culprit)) ?? 0)) unattended(this.#take(occasion, nowMs))
  }

  /**
   * @param {Occasion} occasion
   * @param {number} nowMs
   */
  async #take (occasion, nowMs) {
    this.#isBusy = true
    try {
      const { outcome, problem, pauseMs } = await this.#act(this.#rule, occasion)
      this.#counts[outcome]++
      this.#last = { ...occasion, outcome, problem }
      if (this.#pauses.size >= MAX_CULPRITS) this.#pauses.clear()
      this.#pauses.set(keyOf(occasion.culprit), nowMs + pauseMs)
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
