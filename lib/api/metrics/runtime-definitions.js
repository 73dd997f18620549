'use strict'

// Metrics that OpenTelemetry's conventions for Node.js and V8 define. They are here so that dashboards made for OpenTelemetry's own instrumentation of
// the runtime work with loopscope.

/** @import { RecentDelays } from '../../probe/loop/delay-histogram' */
/** @import { MetricRow } from './definitions' */

const MS_PER_SECOND = 1e3

/**
 * The gauges of the delay that OpenTelemetry defines. They cannot be combined over processes; the histogram is for that.
 * @type {readonly (readonly [name: string, help: string, key: keyof RecentDelays, aggregator: 'min' | 'max' | 'average'])[]}
 */
const DELAYS = Object.freeze(/** @type {const} */ ([
  ['min', 'Shortest', 'minMs', 'min'],
  ['mean', 'Mean', 'meanMs', 'average'],
  ['stddev', 'Standard deviation of the', 'stddevMs', 'average'],
  ['p50', 'Median', 'p50Ms', 'average'],
  ['p90', '90th percentile of the', 'p90Ms', 'max'],
  ['p99', '99th percentile of the', 'p99Ms', 'max']
]))

/** @type {readonly (readonly [name: string, help: string, key: 'space_used_size' | 'space_size' | 'space_available_size' | 'physical_space_size'])[]} */
const SPACES = Object.freeze(/** @type {const} */ ([
  ['used', 'Bytes of the heap in use, by space', 'space_used_size'],
  ['space.size', 'Bytes of the heap that are allocated for a space', 'space_size'],
  ['space.available_size', 'Bytes of the heap that are available in a space', 'space_available_size'],
  ['space.physical_size', 'Bytes of the heap that a space has in memory', 'physical_space_size']
]))

/** @type {readonly MetricRow[]} */
const DELAY_GAUGES = Object.freeze(/** @type {MetricRow[]} */ ([
  {
    name: 'nodejs_eventloop_delay_max_seconds',
    help: 'Longest event-loop delay of the last 30 to 60 seconds, however often it is scraped',
    type: 'gauge',
    aggregator: 'max',
    source: 'delay',
    // A tick misses up to one period of a block and all of a block between two ticks; Node's own sampling of every turn does not.
    collect: ({ delay, iterations }) => [{ value: Math.max(delay.recentMaxMs, iterations?.recentMaxMs ?? 0) / MS_PER_SECOND }],
    convention: { name: 'nodejs.eventloop.delay.max', unit: 's', instrument: 'gauge' }
  },
  ...DELAYS.map(([name, help, key, aggregator]) => /** @type {const} @satisfies {MetricRow} */ ({
    name: `nodejs_eventloop_delay_${name}_seconds`,
    help: `${help} event-loop delay of the last 30 to 60 seconds, by ticks of the heartbeat`,
    type: 'gauge',
    aggregator,
    source: 'delay',
    collect ({ delay }) {
      const recent = delay.recent()
      return recent === null ? [] : [{ value: recent[key] / MS_PER_SECOND }]
    },
    convention: { name: `nodejs.eventloop.delay.${name}`, unit: 's', instrument: 'gauge' }
  }))
]))

/** @type {readonly MetricRow[]} */
const HEAP_METRICS = Object.freeze(/** @type {MetricRow[]} */ ([
  {
    name: 'v8js_gc_duration_seconds',
    help: 'Duration of garbage collections by type (major, minor, incremental, weakcb)',
    type: 'histogram',
    labelNames: ['v8js_gc_type'],
    source: 'collections',
    collect: ({ collections }) => collections.read().map(({ type, reading }) => ({ labels: { v8js_gc_type: type }, reading })),
    convention: { name: 'v8js.gc.duration', unit: 's', instrument: 'histogram', attributes: ['v8js.gc.type'] }
  },
  ...SPACES.map(([name, help, key]) => /** @type {const} @satisfies {MetricRow} */ ({
    name: `v8js_memory_heap_${name.replace('.', '_')}_bytes`,
    help,
    type: 'gauge',
    labelNames: ['v8js_heap_space_name'],
    source: 'heapSpaces',
    collect: ({ heapSpaces }) => heapSpaces.read().map(space => ({ labels: { v8js_heap_space_name: space.space_name }, value: space[key] })),
    convention: { name: `v8js.memory.heap.${name}`, unit: 'By', instrument: 'up-down-counter', attributes: ['v8js.heap.space.name'] }
  }))
]))

module.exports = { DELAY_GAUGES, HEAP_METRICS }
