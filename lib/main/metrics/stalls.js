'use strict'

// Stalls by cause and by route: how many, and how long the loop stood still because of them.

/** @import { Cause } from '../../../types/diagnostics' */
/** @import { MetricDefinition } from './metric' */

/**
 * @typedef {object} StallSources
 * @property {StallTotals} [stalls]
 *
 * @typedef {object} StallTotals
 * @property {() => { cause: Cause, count: number, seconds: number }[]} totals  a row for every cause, also while it is 0
 * @property {() => { route: string | null, seconds: number }[]} routeTotals
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
  },
  {
    name: 'loopscope_stall_route_seconds_total',
    help: 'Time the event loop spent stalled, by the route whose request was being worked on; empty where there was none, or it is not known',
    type: 'counter',
    labelNames: ['http_route'],
    aggregator: 'sum',
    source: 'stalls',
    collect: ({ stalls }) => stalls.routeTotals().map(({ route, seconds }) => ({ labels: { http_route: route ?? '' }, value: seconds }))
  }
])
