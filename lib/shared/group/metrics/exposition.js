'use strict'

// Metrics as text for Prometheus, or in OpenMetrics' format, as prom-client writes them.

/** @import { Metric, Value } from './sum-metrics' */

const OPEN_METRICS = /^application\/openmetrics-text/

/**
 * @param {readonly Metric[]} metrics
 * @param {string} contentType
 */
function writeExposition (metrics, contentType) {
  const isOpenMetrics = OPEN_METRICS.test(contentType)
  const blocks = metrics.map(metric => writeMetric(metric, isOpenMetrics))
  return isOpenMetrics ? `${[...blocks, '# EOF'].join('\n')}\n` : `${blocks.join('\n\n')}\n`
}

/**
 * @param {Metric} metric
 * @param {boolean} isOpenMetrics  which has the family of a counter without the `_total` of its series
 */
function writeMetric ({ name, help, type, values }, isOpenMetrics) {
  const isCounter = isOpenMetrics && type === 'counter'
  const family = isCounter ? name.replace(/_total$/, '') : name
  // A counter of OpenMetrics is called so; with another name a series would begin when the format changes.
  const written = isCounter && family === name ? 'unknown' : type
  const lines = values.map(value => `${writeValue(name, value)}${isOpenMetrics ? writeExemplar(value) : ''}`)
  return [`# HELP ${family} ${escape(help)}`, `# TYPE ${family} ${written}`, ...lines].join('\n')
}

/**
 * @param {string} name
 * @param {Value} value
 */
function writeValue (name, { labels, metricName = name, value }) {
  const written = writeLabels(labels)
  return `${metricName}${written === '' ? '' : `{${written}}`} ${writeNumber(Number(value))}`
}

/** @param {Value} value */
function writeExemplar ({ exemplar }) {
  if (exemplar === undefined) return ''
  const { labelSet, value, timestamp } = exemplar
  return ` # {${writeLabels(labelSet)}} ${writeNumber(value)}${timestamp === undefined ? '' : ` ${timestamp}`}`
}

/** @param {Value['labels']} labels */
function writeLabels (labels) {
  return Object.entries(labels).map(([label, text]) => `${label}="${escape(String(text)).replaceAll('"', '\\"')}"`).join(',')
}

/** @param {number} value */
function writeNumber (value) {
  if (value === Infinity) return '+Inf'
  return value === -Infinity ? '-Inf' : String(value) // NaN is written so
}

/** @param {string} text */
function escape (text) {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

module.exports = { writeExposition }
