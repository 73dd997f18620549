'use strict'

// The table of metrics: every metric once, by family, with the source of its numbers and its exemplars. A test keeps docs/metrics.md equal to it,
// and the names of those that OpenTelemetry defines equal to what its rules for Prometheus make of them.

const { DELAY_GAUGES, HEAP_METRICS } = require('./runtime-definitions')

/** @import { HeapTrend } from '../../../types/diagnostics' */
/** @import { CountedCalls, Counts, CountedStall } from '../../observer/counts' */
/** @import { BucketReading } from '../../base/bucket-counts' */
/** @import { FlagCount } from '../../shared/sync-calls/flags' */
/** @import { SyncCallSum } from '../../shared/sync-calls/totals' */
/** @import { Collections } from '../../probe/heap/collections' */
/** @import { JobReading } from '../../probe/jobs' */
/** @import { RecentDelays } from '../../probe/loop/delay-histogram' */
/** @import { DurationsReading } from '../http/request-durations' */

/**
 * The sources of metrics: of this thread, and what the observer counts. A metric without its source is not registered. Stalls are optional to the
 * histogram of the delay, whose exemplars they are, and the sampled calls to metrics that contain both.
 * @typedef {OwnSources & Partial<Counts>} MetricSources
 *
 * @typedef {object} OwnSources
 * @property {{ read (): BucketReading, recent (): RecentDelays | null, readonly recentMaxMs: number }} [delay]
 * @property {{ readonly recentMaxMs: number }} [iterations]  optional to the maximum of the delay, which it makes exact
 * @property {{ read (): { utilization: number, activeSeconds: number, idleSeconds: number } }} [utilization]
 * @property {{ read (): DurationsReading }} [requests]
 * @property {{ read (): JobReading[] }} [jobs]
 * @property {{ counts (): { calls: SyncCallSum[], flagged: FlagCount[] } }} [exactCalls]
 * @property {{ readonly recentMaxStalenessMs: number | null }} [clock]  null while the clock is not used
 * @property {Pick<Collections, 'read' | 'listeners'>} [collections]  of garbage
 * @property {{ read (): import('node:v8').HeapSpaceInfo[] }} [heapSpaces]
 * @property {{ trend (): HeapTrend | null }} [heap]  null while the heap is not watched
 * @property {{ read (): { component: string, seconds: number }[], observerRestarts: number }} [overhead]
 * @property {string} [version]  of this package
 * @property {ObserverCounts} [observer]  the observer's counts, read again for each scrape
 *
 * @typedef {object} ObserverCounts
 * @property {readonly (keyof Counts)[]} sources  the registered ones
 * @property {() => Promise<Partial<Counts>>} read  empty without an observer
 */

/** @typedef {Record<string, string>} Labels */
/** @typedef {{ labels?: Labels, value: number, exemplar?: Exemplar }} NumberSample */
/** @typedef {{ labels?: Labels, reading: BucketReading, exemplars?: Exemplar[] }} HistogramSample  exemplars: newest first */
/** @typedef {{ labelSet: Labels, value: number, timestamp: number }} Exemplar  in prom-client's form; value: the duration; both in seconds */

/**
 * @template {DefinitionHead} Definition
 * @typedef {Omit<Definition, 'labelNames' | 'aggregator'> & Partial<Pick<Definition, 'labelNames' | 'aggregator'>>} RowOf
 */

/**
 * @typedef {object} DefinitionHead
 * @property {string} name
 * @property {string} help
 * @property {readonly string[]} labelNames
 * @property {'sum' | 'max' | 'min' | 'average' | 'first'} aggregator  how prom-client's AggregatorRegistry combines the workers of a cluster
 * @property {keyof MetricSources} source                     without it the metric is not registered
 * @property {Convention} [convention]                        as OpenTelemetry's semantic conventions define it
 */
/**
 * @typedef {object} Convention
 * @property {string} name
 * @property {'s' | 'By' | '1' | '{request}'} unit
 * @property {'counter' | 'gauge' | 'up-down-counter' | 'histogram'} instrument
 * @property {readonly string[]} [attributes]  in the order of labelNames
 */
/**
 * @typedef {DefinitionHead & { type: 'counter' | 'gauge', collect: (sources: Required<MetricSources>) => NumberSample[] }} NumberDefinition
 * @typedef {DefinitionHead & { type: 'histogram', collect: (sources: Required<MetricSources>) => HistogramSample[] }} HistogramDefinition
 * @typedef {NumberDefinition | HistogramDefinition} MetricDefinition
 * @typedef {RowOf<NumberDefinition> | RowOf<HistogramDefinition>} MetricRow
 */

const MS_PER_SECOND = 1e3
const HTTP_ATTRIBUTES = ['http.request.method', 'url.scheme', 'http.route', 'http.response.status_code']
const REQUEST_DURATION = 'http_server_request_duration_seconds'

const ROW_DEFAULTS = Object.freeze(/** @type {const} */ ({ labelNames: [], aggregator: 'sum' }))

/** @type {readonly MetricRow[]} */
const ROWS = Object.freeze([
  // Event loop: delay and utilization, under OpenTelemetry's names where they exist. The histogram is loopscope's own: percentiles cannot be
  // averaged over processes, a histogram can be summed.
  {
    name: 'nodejs_eventloop_delay_seconds',
    help: 'How late the event loop was, by ticks of the heartbeat; a late tick also counts for the ticks it stood in for',
    type: 'histogram',
    source: 'delay',
    collect: ({ delay, stalls }) => [{ reading: delay.read(), exemplars: exemplarsOf(stalls?.traced ?? []) }]
  },
  ...DELAY_GAUGES,
  {
    name: 'nodejs_eventloop_utilization_ratio',
    help: 'Share of the last 30 to 60 seconds that the event loop was at work, 0 to 1',
    type: 'gauge',
    aggregator: 'average',
    source: 'utilization',
    collect: ({ utilization }) => [{ value: utilization.read().utilization }],
    convention: { name: 'nodejs.eventloop.utilization', unit: '1', instrument: 'gauge' }
  },
  {
    name: 'nodejs_eventloop_time_seconds_total',
    help: 'Time the event loop was at work (active) and waiting for events (idle)',
    type: 'counter',
    labelNames: ['nodejs_eventloop_state'],
    source: 'utilization',
    collect ({ utilization }) {
      const { activeSeconds, idleSeconds } = utilization.read()
      return [
        { labels: { nodejs_eventloop_state: 'active' }, value: activeSeconds },
        { labels: { nodejs_eventloop_state: 'idle' }, value: idleSeconds }
      ]
    },
    convention: { name: 'nodejs.eventloop.time', unit: 's', instrument: 'counter', attributes: ['nodejs.eventloop.state'] }
  },

  // Stalls by cause and by route: how many, and how long the loop was blocked by them.
  {
    name: 'loopscope_stalls_total',
    help: 'Stalls of the event loop: delays of at least the stall threshold, by cause',
    type: 'counter',
    labelNames: ['cause'],
    source: 'stalls',
    collect: ({ stalls }) => withExemplars(stalls.totals, stalls.traced, ({ cause }) => cause).map(({ cause, count, exemplar }) => ({ labels: { cause }, value: count, exemplar }))
  },
  {
    name: 'loopscope_stall_seconds_total',
    help: 'Time the event loop spent stalled, by cause',
    type: 'counter',
    labelNames: ['cause'],
    source: 'stalls',
    collect: ({ stalls }) => withExemplars(stalls.totals, stalls.traced, ({ cause }) => cause).map(({ cause, seconds, exemplar }) => ({ labels: { cause }, value: seconds, exemplar }))
  },
  {
    name: 'loopscope_stall_route_seconds_total',
    help: 'Time the event loop spent stalled, by the route whose request was being worked on; empty where there was none, or it is not known',
    type: 'counter',
    labelNames: ['http_route'],
    source: 'stalls',
    collect: ({ stalls }) => withExemplars(stalls.routeTotals, stalls.traced, ({ route }) => route).map(({ route, seconds, exemplar }) => ({ labels: { http_route: route ?? '' }, value: seconds, exemplar }))
  },

  // HTTP requests by route, under OpenTelemetry's names and labels. Routes are templates; request-durations.js bounds their number.
  {
    name: REQUEST_DURATION,
    help: 'Duration of HTTP server requests',
    type: 'histogram',
    labelNames: ['http_request_method', 'url_scheme', 'http_route', 'http_response_status_code'],
    source: 'requests',
    collect: ({ requests }) => requests.read().durations.map(({ method, scheme, route, status, reading }) => ({
      labels: { http_request_method: method, url_scheme: scheme, http_route: route, http_response_status_code: status },
      reading
    })),
    convention: { name: 'http.server.request.duration', unit: 's', instrument: 'histogram', attributes: HTTP_ATTRIBUTES }
  },
  {
    name: 'http_server_active_requests',
    help: 'HTTP server requests being answered now',
    type: 'gauge',
    labelNames: ['http_request_method', 'url_scheme'],
    source: 'requests',
    collect: ({ requests }) => requests.read().active.map(({ method, scheme, count }) => ({
      labels: { http_request_method: method, url_scheme: scheme },
      value: count
    })),
    convention: { name: 'http.server.active_requests', unit: '{request}', instrument: 'up-down-counter', attributes: ['http.request.method', 'url.scheme'] }
  },
  {
    name: 'loopscope_label_overflow_total',
    help: 'What was counted as _other because a metric had reached its limit of label values, by metric',
    type: 'counter',
    labelNames: ['metric'],
    source: 'requests',
    collect: ({ requests }) => [{ labels: { metric: REQUEST_DURATION }, value: requests.read().overflowed }]
  },

  // Work that is not an HTTP request, by its names, whose number jobs.js bounds.
  {
    name: 'loopscope_job_duration_seconds',
    help: 'Duration of the jobs of the application, run by job(), by name and outcome (ok, error)',
    type: 'histogram',
    labelNames: ['job', 'outcome'],
    source: 'jobs',
    collect: ({ jobs }) => jobs.read().map(({ job, outcome, reading }) => ({ labels: { job, outcome }, reading }))
  },

  // Calls to dependencies, by their names, whose number call-names.js bounds. The wait for a pool is separate: the dependency itself is not slow
  // then.
  {
    name: 'loopscope_dependency_seconds',
    help: 'Duration of calls of the application to databases, caches and other services, by kind, operation and target',
    type: 'histogram',
    labelNames: ['kind', 'operation', 'target'],
    source: 'calls',
    collect: ({ calls }) => calls.filter(isCall).map(({ kind, operation, target, reading }) => ({ labels: { kind, operation, target }, reading }))
  },
  {
    name: 'loopscope_dependency_errors_total',
    help: 'Those of these calls that failed, or were answered with the HTTP status 429, or 500 or more',
    type: 'counter',
    labelNames: ['kind', 'operation', 'target'],
    source: 'calls',
    collect: ({ calls }) => calls.filter(isCall).map(({ kind, operation, target, errors }) => ({ labels: { kind, operation, target }, value: errors }))
  },
  {
    name: 'loopscope_dependency_pool_wait_seconds',
    help: 'How long the application waited for a connection from a pool, by kind and target',
    type: 'histogram',
    labelNames: ['kind', 'target'],
    source: 'calls',
    collect: ({ calls }) => calls.filter(call => !isCall(call)).map(({ kind, target, reading }) => ({ labels: { kind, target }, reading }))
  },

  // Captures: what triggered them, how they ended, how long they took.
  {
    name: 'loopscope_captures_total',
    help: 'Captures by kind, trigger and outcome (ok, failed, cancelled, skipped)',
    type: 'counter',
    labelNames: ['kind', 'trigger', 'outcome'],
    source: 'captures',
    collect: ({ captures }) => captures.totals.map(({ kind, trigger, outcome, count }) => ({
      labels: { kind, trigger, outcome },
      value: count
    }))
  },
  {
    name: 'loopscope_captures_in_progress',
    help: 'Captures being recorded or written now, by kind',
    type: 'gauge',
    labelNames: ['kind'],
    source: 'captures',
    collect: ({ captures }) => captures.inProgress.map(({ kind, count }) => ({ labels: { kind }, value: count }))
  },
  {
    name: 'loopscope_capture_duration_seconds',
    help: 'Time from the request of a capture to its end, by kind',
    type: 'histogram',
    labelNames: ['kind'],
    source: 'captures',
    collect: ({ captures }) => captures.durations.map(({ kind, reading }) => ({ labels: { kind }, reading }))
  },

  // Synchronous calls by API and route, from both sources, which of them were flagged, and libuv's thread pool, where they belong.
  {
    name: 'loopscope_sync_calls_total',
    help: 'Synchronous calls counted by the exact detector, by API and route: exact by API; among the routes of an API that is called often, an estimate',
    type: 'counter',
    labelNames: ['api', 'http_route'],
    source: 'exactCalls',
    collect: ({ exactCalls }) => exactCalls.counts().calls.map(sum => ({ labels: labelsOf(sum), value: sum.calls }))
  },
  {
    name: 'loopscope_sync_call_seconds_total',
    help: 'Time in synchronous calls, by API, route and source (exact: measured around each call, divided among routes as the calls are; sampled: an estimate from CPU samples)',
    type: 'counter',
    labelNames: ['api', 'http_route', 'source'],
    source: 'exactCalls',
    collect ({ exactCalls, syncCalls }) {
      const rows = (/** @type {SyncCallSum[]} */ sums, /** @type {string} */ source) =>
        sums.map(sum => ({ labels: { ...labelsOf(sum), source }, value: sum.seconds }))
      return [...rows(exactCalls.counts().calls, 'exact'), ...rows(syncCalls?.sampled ?? [], 'sampled')]
    }
  },
  {
    name: 'loopscope_sync_call_flags_total',
    help: 'How often call sites were flagged for blocking the loop, once an hour each, by API and route',
    type: 'counter',
    labelNames: ['api', 'http_route'],
    source: 'exactCalls',
    // One of the two is empty: where both run, only the exact one flags.
    collect: ({ exactCalls, syncCalls }) => [...exactCalls.counts().flagged, ...syncCalls?.flagged ?? []].map(sum => ({ labels: labelsOf(sum), value: sum.count }))
  },
  {
    name: 'loopscope_threadpool_queued_total',
    help: 'Probes, one a second while the process is busy, whose tasks waited 50 ms or more for a thread of the libuv pool',
    type: 'counter',
    source: 'pool',
    collect: ({ pool }) => [{ value: pool.queued }]
  },

  // Worker threads, if observed: by name, separate from the figures of the loop.
  {
    name: 'loopscope_thread_busy_seconds_total',
    help: 'Time worker threads were at work, by samples, by the name of the thread, else its file',
    type: 'counter',
    labelNames: ['thread'],
    source: 'threads',
    collect: ({ threads }) => threads.map(({ kind, busyMs }) => ({ labels: { thread: kind }, value: busyMs / MS_PER_SECOND }))
  },
  {
    name: 'loopscope_thread_stalls_total',
    help: 'How often worker threads were at work for at least the stall threshold without a pause, by the name of the thread, else its file',
    type: 'counter',
    labelNames: ['thread'],
    source: 'threads',
    collect: ({ threads }) => threads.map(({ kind, stalls }) => ({ labels: { thread: kind }, value: stalls }))
  },

  // The cached clock: how far behind it was.
  {
    name: 'loopscope_clock_staleness_max_seconds',
    help: 'Longest time that the cached clock stood still within the last 30 to 60 seconds; no value while it is not used',
    type: 'gauge',
    aggregator: 'max',
    source: 'clock',
    collect: ({ clock: { recentMaxStalenessMs } }) => recentMaxStalenessMs === null ? [] : [{ value: recentMaxStalenessMs / MS_PER_SECOND }]
  },

  // The heap: its collections, its spaces, and the heap in use after the last full collection.
  ...HEAP_METRICS,
  {
    name: 'loopscope_heap_after_gc_bytes',
    help: 'Bytes of the heap in use after the last full collection, by space; no value while nobody watches the heap',
    type: 'gauge',
    labelNames: ['space'],
    source: 'heap',
    collect: ({ heap }) => (heap.trend()?.spaces ?? []).map(({ name: space, usedBytes: value }) => ({ labels: { space }, value }))
  },

  // The memory of the process by owner, and of its container.
  {
    name: 'loopscope_memory_bytes',
    help: 'Resident memory of the process by owner (heap, heap-free, buffers, external, worker, loopscope, code, native): the owners add up to it',
    type: 'gauge',
    labelNames: ['owner'],
    source: 'memory',
    collect: ({ memory }) => (memory?.owners ?? []).map(([owner, value]) => ({ labels: { owner }, value }))
  },
  {
    name: 'loopscope_container_memory_bytes',
    help: 'Memory of the control group with the tightest limit: used by all its processes, and its limit; no value without a limit',
    type: 'gauge',
    labelNames: ['kind'],
    aggregator: 'max',
    source: 'memory',
    collect: ({ memory }) => memory === null || memory.container === null
      ? []
      : [{ labels: { kind: 'used' }, value: memory.container.usedBytes }, { labels: { kind: 'limit' }, value: memory.container.limitBytes }]
  },

  // The admin surface: its requests, and which of them were refused.
  {
    name: 'loopscope_admin_requests_total',
    help: 'Requests to the admin surface, by endpoint and status',
    type: 'counter',
    labelNames: ['endpoint', 'code'],
    source: 'admin',
    collect: ({ admin }) => admin.requests.map(({ endpoint, code, count }) => ({
      labels: { endpoint, code: String(code) },
      value: count
    }))
  },
  {
    name: 'loopscope_admin_refusals_total',
    help: 'Requests to the admin surface that were turned away, by reason (missing, bad, scope, host, origin)',
    type: 'counter',
    labelNames: ['reason'],
    source: 'admin',
    collect: ({ admin }) => admin.refusals.map(({ reason, count }) => ({ labels: { reason }, value: count }))
  },

  // Egress: the outcome of each item, and how much waits on disk.
  {
    name: 'loopscope_egress_total',
    help: 'What became of profiles, artifacts and evidence that were to be sent, by destination and outcome (sent, retried, refused, dropped, unreadable)',
    type: 'counter',
    labelNames: ['to', 'outcome'],
    source: 'egress',
    collect: ({ egress }) => egress.totals.map(({ to, outcome, count }) => ({ labels: { to, outcome }, value: count }))
  },
  {
    name: 'loopscope_egress_queue_bytes',
    help: 'Bytes of this process on disk that wait to be sent',
    type: 'gauge',
    source: 'egress',
    collect: ({ egress }) => [{ labels: {}, value: egress.queueBytes }]
  },

  // Rules: their actions.
  {
    name: 'loopscope_rule_actions_total',
    help: 'Actions of rules by rule and outcome (done, failed, limited, dry-run)',
    type: 'counter',
    labelNames: ['rule', 'outcome'],
    source: 'rules',
    collect: ({ rules }) => rules.map(({ rule, outcome, count }) => ({ labels: { rule, outcome }, value: count }))
  },

  // Loopscope's own cost, and its version.
  {
    name: 'loopscope_overhead_seconds_total',
    help: 'Time spent by loopscope itself, by component',
    type: 'counter',
    labelNames: ['component'],
    source: 'overhead',
    collect: ({ overhead }) => overhead.read().map(({ component, seconds }) => ({ labels: { component }, value: seconds }))
  },
  {
    name: 'loopscope_observer_restarts_total',
    help: 'How often the observer thread ended unexpectedly and was started again',
    type: 'counter',
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

/** @type {readonly MetricDefinition[]} */
const DEFINITIONS = Object.freeze(ROWS.map(row => ({ ...ROW_DEFAULTS, ...row })))

/** @type {(call: CountedCalls) => boolean} */
function isCall ({ operation }) {
  return operation !== 'acquire'
}

/** @type {(sum: { api: string, route: string }) => Labels} */
function labelsOf ({ api, route }) {
  return { api, http_route: route }
}

/**
 * Each total with the trace of the newest stall counted in it, which OpenMetrics exposes.
 * @template {Partial<CountedStall>} Total
 * @param {readonly Total[]} totals
 * @param {readonly CountedStall[]} stalls  newest first
 * @param {(counted: Partial<CountedStall>) => unknown} keyOf
 * @returns {(Total & { exemplar?: Exemplar })[]}
 */
function withExemplars (totals, stalls, keyOf) {
  // The last entry of a key wins in a map: the newest.
  const exemplars = new Map(stalls.toReversed().flatMap(stall => exemplarsOf([stall]).map(exemplar => [keyOf(stall), exemplar])))
  return totals.map(total => ({ ...total, exemplar: exemplars.get(keyOf(total)) }))
}

/** @param {readonly CountedStall[]} stalls @returns {Exemplar[]} in the same order, for those with a trace */
function exemplarsOf (stalls) {
  return stalls.flatMap(({ at, durationMs, trace }) => {
    if (trace === null) return []
    const value = durationMs / MS_PER_SECOND
    return [{ labelSet: { trace_id: trace.traceId, span_id: trace.spanId }, value, timestamp: at / MS_PER_SECOND + value }]
  })
}

module.exports = { DEFINITIONS }
