'use strict'

// Reads the registry as plain data, to add up the processes of a group, and in OpenMetrics format: from a prom-client registry, or one of its
// successor.

const { setTimeout: sleep } = require('node:timers/promises')
const { Promise } = require('../../base/globals')
const { performance } = require('../../base/timers')
const { writeExposition } = require('../../shared/group/exposition')

/** @import { Registry } from 'prom-client' */
/** @import { Value } from '../../observer/group/sum-metrics' */
/** @import { ApplicationMetrics } from '../../observer/group/totals' */

const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8'
const IS_OPEN_METRICS = /^application\/openmetrics-text/
const SUM = 'sum'
const LAST_MS = 500 // a metric of the application may query another service

/** @param {() => Registry} registry */
function createMetricsReading (registry) {
  const openedAtMs = performance.now()
  let isAsked = false
  return {
    read () {
      isAsked = true
      return readMetrics(registry(), { openedAtMs })
    },

    /** The final metrics, for a group that already received some. @returns {Promise<ApplicationMetrics | null>} */
    async last () {
      if (!isAsked) return null
      const late = sleep(LAST_MS, null, { ref: false })
      return Promise.race([readMetrics(registry(), { openedAtMs }).catch(() => null), late])
    }
  }
}

/**
 * @param {Registry} registry
 * @param {{ openedAtMs?: number, withExemplars?: boolean }} [wanted]
 * @returns {Promise<ApplicationMetrics>}
 */
async function readMetrics (registry, { openedAtMs = 0, withExemplars = false } = {}) {
  const { contentType } = registry
  const readAtMs = performance.now()
  const isOpenMetrics = IS_OPEN_METRICS.test(contentType)
  const metrics = /** @type {any[]} */ (await registry.getMetricsAsJSON()).map(({ name, help, type, aggregator = SUM, values = [] }) => ({
    name: isOpenMetrics && type === 'counter' ? nameOfSeries(name) : name,
    help,
    type,
    aggregator,
    values: values.map((/** @type {any} */ value) => ({ ...plainValue(value), ...(withExemplars && value.exemplar && { exemplar: value.exemplar }) }))
  }))
  return { openedAtMs, readAtMs, contentType, metrics }
}

/**
 * In OpenMetrics format with exemplars, on request. It is built from the registry's data: a registry has one format at a time, chosen by the
 * application, and prom-client permanently removes `_total` from the names of its counters once it has written this one.
 * @param {Registry} registry
 */
async function readOpenMetrics (registry) {
  const { metrics } = await readMetrics(registry, { withExemplars: true })
  return { contentType: OPEN_METRICS, text: writeExposition(metrics, OPEN_METRICS) }
}

/** In OpenMetrics mode prom-client removes `_total` from a counter once it was written as text. @param {string} name */
function nameOfSeries (name) {
  return name.endsWith('_total') ? name : `${name}_total`
}

/** @param {any} value @returns {Value} */
function plainValue ({ labels = {}, metricName, value }) {
  return { labels, ...(metricName !== undefined && { metricName }), value: Number.isFinite(value) ? value : String(value) }
}

module.exports = { createMetricsReading, readMetrics, readOpenMetrics }
