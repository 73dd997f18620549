'use strict'

// Worker threads, where they are watched: by name, apart from the figures of the loop.

/** @import { ThreadTimes } from '../observing/thread-totals' */
/** @import { MetricDefinition } from './metric' */

/** @typedef {{ threads?: { totals (): ThreadTimes[] } }} ThreadSources */

/** @type {readonly MetricDefinition[]} */
module.exports = Object.freeze([
  {
    name: 'loopscope_thread_busy_seconds_total',
    help: 'Time worker threads were at work, by samples, by the name of the thread, else its file',
    type: 'counter',
    labelNames: ['thread'],
    aggregator: 'sum',
    source: 'threads',
    collect: ({ threads }) => threads.totals().map(({ kind, busyMs }) => ({ labels: { thread: kind }, value: busyMs / 1e3 }))
  },
  {
    name: 'loopscope_thread_stalls_total',
    help: 'How often worker threads were at work for at least the stall threshold without a pause, by the name of the thread, else its file',
    type: 'counter',
    labelNames: ['thread'],
    aggregator: 'sum',
    source: 'threads',
    collect: ({ threads }) => threads.totals().map(({ kind, stalls }) => ({ labels: { thread: kind }, value: stalls }))
  }
])
