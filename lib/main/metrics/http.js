'use strict'

// HTTP requests by route, under OpenTelemetry's names and labels. Routes are templates and their number is bounded by the
// part that counts; here is only what is shown.

/** @import { DurationsReading } from '../http/request-durations' */
/** @import { MetricDefinition } from './metric' */

/** @typedef {{ requests?: { read (): DurationsReading } }} HttpSources */

const DURATION = 'http_server_request_duration_seconds'

/** @type {readonly MetricDefinition[]} */
module.exports = Object.freeze([
  {
    name: DURATION,
    help: 'Duration of HTTP server requests',
    type: 'histogram',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    aggregator: 'sum',
    source: 'requests',
    collect: ({ requests }) => requests.read().durations.map(({ method, route, status, reading }) => ({
      labels: { http_request_method: method, http_route: route, http_response_status_code: status },
      reading
    }))
  },
  {
    name: 'http_server_active_requests',
    help: 'HTTP server requests being answered now',
    type: 'gauge',
    labelNames: ['http_request_method', 'url_scheme'],
    aggregator: 'sum',
    source: 'requests',
    collect: ({ requests }) => requests.read().active.map(({ method, scheme, count }) => ({
      labels: { http_request_method: method, url_scheme: scheme },
      value: count
    }))
  },
  {
    name: 'loopscope_label_overflow_total',
    help: 'What was counted as _other because a metric had reached its limit of label values, by metric',
    type: 'counter',
    labelNames: ['metric'],
    aggregator: 'sum',
    source: 'requests',
    collect: ({ requests }) => [{ labels: { metric: DURATION }, value: requests.read().overflowed }]
  }
])
