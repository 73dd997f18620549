'use strict'

// What these diagnostics themselves cost, and which version of them runs.

/** @import { MetricDefinition } from './metric' */

/**
 * @typedef {object} OverheadSources
 * @property {{ read (): { component: string, seconds: number }[], observerRestarts: number }} [overhead]
 * @property {string} [version]  of this package
 */

/** @type {readonly MetricDefinition[]} */
module.exports = Object.freeze([
  {
    name: 'loopscope_overhead_seconds_total',
    help: 'Time spent by loopscope itself, by component',
    type: 'counter',
    labelNames: ['component'],
    aggregator: 'sum',
    source: 'overhead',
    collect: ({ overhead }) => overhead.read().map(({ component, seconds }) => ({ labels: { component }, value: seconds }))
  },
  {
    name: 'loopscope_observer_restarts_total',
    help: 'How often the observer thread ended unexpectedly and was started again',
    type: 'counter',
    labelNames: [],
    aggregator: 'sum',
    source: 'overhead',
    collect: ({ overhead }) => [{ value: overhead.observerRestarts }]
  },
  {
    name: 'loopscope_build_info',
    help: 'Always 1; the label says which version of loopscope runs',
    type: 'gauge',
    labelNames: ['version'],
    aggregator: 'first',
    source: 'version',
    collect: ({ version }) => [{ labels: { version }, value: 1 }]
  }
])
