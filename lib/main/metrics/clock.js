'use strict'

// How far the cached clock was behind.

/** @import { MetricDefinition } from './metric' */

/** @typedef {{ clock?: { readonly recentMaxStalenessMs: number | null } }} ClockSources  null while nobody uses the clock */

const MS_PER_SECOND = 1e3

/** @type {readonly MetricDefinition[]} */
module.exports = Object.freeze([
  {
    name: 'loopscope_clock_staleness_max_seconds',
    help: 'Longest time that the cached clock stood still within the last 30 to 60 seconds; no value while it is not used',
    type: 'gauge',
    labelNames: [],
    aggregator: 'max',
    source: 'clock',
    collect: ({ clock: { recentMaxStalenessMs } }) => recentMaxStalenessMs === null ? [] : [{ value: recentMaxStalenessMs / MS_PER_SECOND }]
  }
])
