'use strict'

// What a rule can wait for: the table of conditions. A new one is a row in a file of conditions/, a line here, a member of RuleConditions
// (types/rules.d.ts), a row in docs/rules.md, and one test. Pure.

const { finding } = require('./conditions/finding')
const loop = require('./conditions/loop')
const memory = require('./conditions/memory')
const stalls = require('./conditions/stalls')

/** @import { Finding } from '../../../types/findings' */
/** @import { RuleConditions } from '../../../types/rules' */
/** @import { BucketReading } from '../base/bucket-counts' */
/** @import { Rule } from './check-rules' */
/** @import { Suspect } from './culprit' */

/**
 * @typedef {object} LoopCounts  what the main thread counts, since the start
 * @property {number} atMs
 * @property {number} activeMs
 * @property {number} idleMs
 * @property {Pick<BucketReading, 'bounds' | 'counts' | 'count'>} delay  in seconds
 * @property {number} responses
 * @property {number} errorResponses  with a status from 500 on
 * @property {number | null} heapAfterGcBytes  null: nobody watches, or there was no full collection
 *
 * @typedef {object} Readings  what conditions are judged by; times in milliseconds of the clock that waiting is counted by
 * @property {number} nowMs
 * @property {number} at  the same since the epoch
 * @property {number} sinceMs  from when on there are readings
 * @property {{ durationMs: number } | null} stall  that lasts, or is over, in this very moment
 * @property {({ fromMs: number, toMs: number } & Suspect)[]} stalls  of the last minutes, the one that lasts included
 * @property {LoopCounts[]} loop  oldest first
 * @property {number | null} rssBytes  null: it cannot be read
 * @property {readonly Pick<Finding, 'id' | 'share' | 'where'>[] | null} findings
 *
 * @typedef {object} ConditionRow
 * @property {'stall' | 'window' | 'loop' | 'heap' | 'findings' | 'nothing'} needs  to be gathered for it
 * @property {boolean} [isChoice]  what is wanted is a name, and no limit
 * @property {(path: string, value: any) => void} check
 * @property {(readings: Readings, rule: Rule) => number | null} read  null: it cannot be told now
 * @property {(readings: Readings, rule: Rule) => boolean | null} [isMet]  where it is not that the limit is reached
 *
 * @typedef {keyof RuleConditions} ConditionName
 * @typedef {{ name: ConditionName, value: number | null, isMet: boolean | null }} Judged  null: it cannot be told now
 */

/** @type {Readonly<Record<ConditionName, ConditionRow>>} */
const CONDITIONS = Object.freeze({ ...stalls, ...loop, ...memory, finding })

/**
 * @param {Rule} rule
 * @param {Readings} readings
 * @returns {Judged[]}
 */
function judge (rule, readings) {
  return conditionsOf(rule).map(name => {
    const { read, isMet } = CONDITIONS[name]
    const value = read(readings, rule)
    const isReached = () => value === null ? null : value >= Number(rule.when[name])
    return { name, value, isMet: isMet === undefined ? isReached() : isMet(readings, rule) }
  })
}

/**
 * @param {Pick<Rule, 'when'>} rule
 * @returns {ConditionName[]}
 */
function conditionsOf ({ when }) {
  return /** @type {ConditionName[]} */ (Object.keys(when))
}

/**
 * Whether a rule needs something to be gathered.
 * @param {Pick<Rule, 'when'>} rule
 * @param {ConditionRow['needs']} needs
 */
function doesNeed (rule, needs) {
  return conditionsOf(rule).some(name => CONDITIONS[name].needs === needs)
}

module.exports = { CONDITIONS, conditionsOf, doesNeed, judge }
