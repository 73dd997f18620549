'use strict'

// Captures: what asked for them, how they ended, how long they took.

/** @import { CaptureCountsReading } from '../captures/capture-counts' */
/** @import { MetricDefinition } from './metric' */

/** @typedef {{ captures?: { read (): CaptureCountsReading } }} CaptureSources */

/** @type {readonly MetricDefinition[]} */
module.exports = Object.freeze([
  {
    name: 'loopscope_captures_total',
    help: 'Captures by kind, trigger and outcome (ok, failed, cancelled, skipped)',
    type: 'counter',
    labelNames: ['kind', 'trigger', 'outcome'],
    aggregator: 'sum',
    source: 'captures',
    collect: ({ captures }) => captures.read().totals.map(({ kind, trigger, outcome, count }) => ({
      labels: { kind, trigger, outcome },
      value: count
    }))
  },
  {
    name: 'loopscope_captures_in_progress',
    help: 'Captures being recorded or written now, by kind',
    type: 'gauge',
    labelNames: ['kind'],
    aggregator: 'sum',
    source: 'captures',
    collect: ({ captures }) => captures.read().inProgress.map(({ kind, count }) => ({ labels: { kind }, value: count }))
  },
  {
    name: 'loopscope_capture_duration_seconds',
    help: 'Time from the request of a capture to its end, by kind',
    type: 'histogram',
    labelNames: ['kind'],
    aggregator: 'sum',
    source: 'captures',
    collect: ({ captures }) => captures.read().durations.map(({ kind, reading }) => ({ labels: { kind }, reading }))
  }
])
