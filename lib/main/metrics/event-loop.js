'use strict'

// Event-loop lateness and utilisation, under the names OpenTelemetry gives them where it has any. No percentile gauges:
// percentiles cannot be averaged over processes, a histogram can be summed.

const { exemplarsOf } = require('./exemplars')

/** @import { BucketReading } from '../../shared/base/bucket-counts' */
/** @import { CountedStall } from './exemplars' */
/** @import { MetricDefinition } from './metric' */

/**
 * @typedef {object} EventLoopSources
 * @property {{ read (): BucketReading, readonly recentMaxMs: number }} [delay]
 * @property {{ list (): CountedStall[] }} [stalls]  optional to the histogram, whose exemplars they are; newest first
 * @property {{ readonly recentMaxMs: number }} [iterations]  optional to the maximum, which it makes exact
 * @property {{ read (): { utilization: number, activeSeconds: number, idleSeconds: number } }} [utilization]
 */

const MS_PER_SECOND = 1e3

/** @type {readonly MetricDefinition[]} */
module.exports = Object.freeze([
  {
    name: 'nodejs_eventloop_delay_seconds',
    help: 'How late the event loop was, by ticks of the heartbeat; a late tick also counts for the ticks it stood in for',
    type: 'histogram',
    labelNames: [],
    aggregator: 'sum',
    source: 'delay',
    collect: ({ delay, stalls }) => [{ reading: delay.read(), exemplars: exemplarsOf(stalls?.list() ?? []) }]
  },
  {
    name: 'nodejs_eventloop_delay_max_seconds',
    help: 'Longest event-loop delay of the last 30 to 60 seconds, however often it is scraped',
    type: 'gauge',
    labelNames: [],
    aggregator: 'max',
    source: 'delay',
    // A tick misses up to one period of a block and all of a block between two ticks; Node's own sampling of every turn does not.
    collect: ({ delay, iterations }) => [{ value: Math.max(delay.recentMaxMs, iterations?.recentMaxMs ?? 0) / MS_PER_SECOND }]
  },
  {
    name: 'nodejs_eventloop_utilization_ratio',
    help: 'Share of the last 30 to 60 seconds that the event loop was at work, 0 to 1',
    type: 'gauge',
    labelNames: [],
    aggregator: 'average',
    source: 'utilization',
    collect: ({ utilization }) => [{ value: utilization.read().utilization }]
  },
  {
    name: 'nodejs_eventloop_time_seconds_total',
    help: 'Time the event loop was at work (active) and waiting for events (idle)',
    type: 'counter',
    labelNames: ['nodejs_eventloop_state'],
    aggregator: 'sum',
    source: 'utilization',
    collect ({ utilization }) {
      const { activeSeconds, idleSeconds } = utilization.read()
      return [
        { labels: { nodejs_eventloop_state: 'active' }, value: activeSeconds },
        { labels: { nodejs_eventloop_state: 'idle' }, value: idleSeconds }
      ]
    }
  }
])
