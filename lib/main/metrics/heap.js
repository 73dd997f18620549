'use strict'

// What was left of the heap after the last full collection.

/** @import { HeapTrend } from '../../../types/diagnostics' */
/** @import { MetricDefinition } from './metric' */

/** @typedef {{ heap?: { trend (): HeapTrend | null } }} HeapSources  null while nobody watches the heap */

/** @type {readonly MetricDefinition[]} */
module.exports = Object.freeze([
  {
    name: 'loopscope_heap_after_gc_bytes',
    help: 'Bytes of the heap in use after the last full collection, by space; no value while nobody watches the heap',
    type: 'gauge',
    labelNames: ['space'],
    aggregator: 'sum',
    source: 'heap',
    collect: ({ heap }) => (heap.trend()?.spaces ?? []).map(({ name: space, usedBytes: value }) => ({ labels: { space }, value }))
  }
])
