'use strict'

// Rules: what they did.

/** @import { RuleEvent } from '../rules/rule-counts' */
/** @import { MetricDefinition } from './metric' */

/** @typedef {{ rules?: { read (): RuleEvent[] } }} RuleSources */

/** @type {readonly MetricDefinition[]} */
module.exports = Object.freeze([
  {
    name: 'loopscope_rule_actions_total',
    help: 'Actions of rules by rule and outcome (done, failed, limited, dry-run)',
    type: 'counter',
    labelNames: ['rule', 'outcome'],
    aggregator: 'sum',
    source: 'rules',
    collect: ({ rules }) => rules.read().map(({ rule, outcome, actions }) => ({ labels: { rule, outcome }, value: actions }))
  }
])
