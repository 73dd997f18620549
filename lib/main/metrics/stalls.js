'use strict'

// Stalls by cause and by route: how many, and how long the loop stood still because of them.

const { newestExemplars } = require('./exemplars')

/** @import { Cause } from '../../../types/diagnostics' */
/** @import { CountedStall } from './exemplars' */
/** @import { MetricDefinition } from './metric' */

/**
 * @typedef {object} StallSources
 * @property {StallTotals} [stalls]
 *
 * @typedef {object} StallTotals
 * @property {() => { cause: Cause, count: number, seconds: number }[]} totals  a row for every cause, also while it is 0
 * @property {() => { route: string | null, seconds: number }[]} routeTotals
 * @property {() => CountedStall[]} list  the last ones, newest first
 */

/** @param {StallTotals} stalls */
function totalsByCause (stalls) {
  const exemplars = newestExemplars(stalls.list(), ({ cause }) => cause)
  return stalls.totals().map(total => ({ ...total, exemplar: exemplars.get(total.cause) }))
}

/** @param {StallTotals} stalls */
function totalsByRoute (stalls) {
  const exemplars = newestExemplars(stalls.list(), ({ route }) => route)
  return stalls.routeTotals().map(total => ({ ...total, exemplar: exemplars.get(total.route) }))
}

/** @type {readonly MetricDefinition[]} */
module.exports = Object.freeze([
  {
    name: 'loopscope_stalls_total',
    help: 'Stalls of the event loop: delays of at least the stall threshold, by cause',
    type: 'counter',
    labelNames: ['cause'],
    aggregator: 'sum',
    source: 'stalls',
    collect: ({ stalls }) => totalsByCause(stalls).map(({ cause, count, exemplar }) => ({ labels: { cause }, value: count, exemplar }))
  },
  {
    name: 'loopscope_stall_seconds_total',
    help: 'Time the event loop spent stalled, by cause',
    type: 'counter',
    labelNames: ['cause'],
    aggregator: 'sum',
    source: 'stalls',
    collect: ({ stalls }) => totalsByCause(stalls).map(({ cause, seconds, exemplar }) => ({ labels: { cause }, value: seconds, exemplar }))
  },
  {
    name: 'loopscope_stall_route_seconds_total',
    help: 'Time the event loop spent stalled, by the route whose request was being worked on; empty where there was none, or it is not known',
    type: 'counter',
    labelNames: ['http_route'],
    aggregator: 'sum',
    source: 'stalls',
    collect: ({ stalls }) => totalsByRoute(stalls).map(({ route, seconds, exemplar }) => ({ labels: { http_route: route ?? '' }, value: seconds, exemplar }))
  }
])
