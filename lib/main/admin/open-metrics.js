'use strict'

// The registry in OpenMetrics' format with exemplars, for those who ask for it. Written from its data: a registry has one format at a time,
// which is the application's to choose, and prom-client's takes `_total` off the names of its counters for good once it has written this one.

const { writeExposition } = require('../../shared/group/metrics/exposition')
const { readMetrics } = require('./metrics-reading')

/** @import { Registry } from 'prom-client' */

const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

/**
 * @param {Registry} registry
 */
async function readOpenMetrics (registry) {
  const { metrics } = await readMetrics(registry, { withExemplars: true })
  return { contentType: OPEN_METRICS, text: writeExposition(metrics, OPEN_METRICS) }
}

module.exports = { readOpenMetrics }
