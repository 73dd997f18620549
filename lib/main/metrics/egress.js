'use strict'

// Egress: what became of what was to be sent, and how much waits on disk.

/** @import { createEgressCounts } from '../egress/egress-counts' */
/** @import { MetricDefinition } from './metric' */

/** @typedef {{ egress?: Pick<ReturnType<typeof createEgressCounts>, 'read'> }} EgressSources */

/** @type {readonly MetricDefinition[]} */
module.exports = Object.freeze([
  {
    name: 'loopscope_egress_total',
    help: 'What became of profiles, artifacts and evidence that were to be sent, by destination and outcome (sent, retried, refused, dropped, unreadable)',
    type: 'counter',
    labelNames: ['to', 'outcome'],
    aggregator: 'sum',
    source: 'egress',
    collect: ({ egress }) => egress.read().totals.map(({ to, outcome, count }) => ({ labels: { to, outcome }, value: count }))
  },
  {
    name: 'loopscope_egress_queue_bytes',
    help: 'Bytes of this process on disk that wait to be sent',
    type: 'gauge',
    labelNames: [],
    aggregator: 'sum',
    source: 'egress',
    collect: ({ egress }) => [{ labels: {}, value: egress.read().queueBytes }]
  }
])
