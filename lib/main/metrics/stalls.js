'use strict'

// Stalls by cause: how many, and how long the loop stood still because of them.

/** @import { Cause } from '../../../types/diagnostics' */
/** @import { MetricDefinition } from './metric' */

/**
 * @typedef {object} StallSources
 * @property {{ totals (): { cause: Cause, count: number, seconds: number }[] }} [stalls]  a row for every cause, also while it is 0
 */

/** @type {readonly MetricDefinition[]} */
module.exports = Object.freeze([
  {
    name: 'loopscope_stalls_total',
    help: 'Stalls of the event loop: delays of at least the stall threshold, by cause',
    type: 'counter',
    labelNames: ['cause'],
    aggregator: 'sum',
    source: 'stalls',
    collect: ({ stalls }) => stalls.totals().map(({ cause, count }) => ({ labels: { cause }, value: count }))
  },
  {
    name: 'loopscope_stall_seconds_total',
    help: 'Time the event loop spent stalled, by cause',
    type: 'counter',
    labelNames: ['cause'],
    aggregator: 'sum',
    source: 'stalls',
    collect: ({ stalls }) => stalls.totals().map(({ cause, seconds }) => ({ labels: { cause }, value: seconds }))
  }
])
