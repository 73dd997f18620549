'use strict'

// Synchronous calls by API and route, from both sources, what was flagged of them, and the pool they should go to.

/** @import { MetricDefinition } from './metric' */

/**
 * @typedef {{ api: string, route: string, calls: number, seconds: number }} SyncCallSum
 *
 * @typedef {object} SyncCallTotals
 * @property {SyncCallSum[]} exact
 * @property {SyncCallSum[]} sampled
 * @property {{ api: string, route: string, count: number }[]} flagged
 * @property {number} poolQueued
 *
 * @typedef {{ syncCalls?: { totals (): SyncCallTotals } }} SyncCallSources
 */

/** @type {(sum: { api: string, route: string }) => Record<string, string>} */
const labelsOf = ({ api, route }) => ({ api, http_route: route })

/** @type {readonly MetricDefinition[]} */
module.exports = Object.freeze([
  {
    name: 'loopscope_sync_calls_total',
    help: 'Synchronous calls counted by the exact detector, by API and route: exact by API; among the routes of an API that is called often, an estimate',
    type: 'counter',
    labelNames: ['api', 'http_route'],
    aggregator: 'sum',
    source: 'syncCalls',
    collect: ({ syncCalls }) => syncCalls.totals().exact.map(sum => ({ labels: labelsOf(sum), value: sum.calls }))
  },
  {
    name: 'loopscope_sync_call_seconds_total',
    help: 'Time in synchronous calls, by API, route and source (exact: measured around each call, divided among routes as the calls are; sampled: an estimate from CPU samples)',
    type: 'counter',
    labelNames: ['api', 'http_route', 'source'],
    aggregator: 'sum',
    source: 'syncCalls',
    collect ({ syncCalls }) {
      const { exact, sampled } = syncCalls.totals()
      const rows = (/** @type {SyncCallSum[]} */ sums, /** @type {string} */ source) =>
        sums.map(sum => ({ labels: { ...labelsOf(sum), source }, value: sum.seconds }))
      return [...rows(exact, 'exact'), ...rows(sampled, 'sampled')]
    }
  },
  {
    name: 'loopscope_sync_call_flags_total',
    help: 'How often call sites were flagged for blocking the loop, once an hour each, by API and route',
    type: 'counter',
    labelNames: ['api', 'http_route'],
    aggregator: 'sum',
    source: 'syncCalls',
    collect: ({ syncCalls }) => syncCalls.totals().flagged.map(sum => ({ labels: labelsOf(sum), value: sum.count }))
  },
  {
    name: 'loopscope_threadpool_queued_total',
    help: 'Probes, one a second while the process is busy, whose tasks waited 50 ms or more for a thread of the libuv pool',
    type: 'counter',
    labelNames: [],
    aggregator: 'sum',
    source: 'syncCalls',
    collect: ({ syncCalls }) => [{ value: syncCalls.totals().poolQueued }]
  }
])
