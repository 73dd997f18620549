'use strict'

// Formats metrics as text for Prometheus, or in the format of OpenMetrics, as prom-client does; and chooses the format that a request prefers. Pure.

/** @import { Metric, Value } from '../../observer/group/sum-metrics' */

const OPEN_METRICS = 'application/openmetrics-text'
const TEXT = 'text/plain'

/** @param {readonly Metric[]} metrics @param {string} contentType */
function writeExposition (metrics, contentType) {
  const isOpenMetrics = contentType.startsWith(OPEN_METRICS)
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

/** @param {string} name @param {Value} value */
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

/**
 * Whether OpenMetrics is preferred to Prometheus' own text format. Prometheus accepts both, with weights.
 * @param {string} accept  the header
 */
function prefersOpenMetrics (accept) {
  const ranges = accept.split(',').map(readRange)
  const weightOf = (/** @type {string} */ wanted) => Math.max(0, ...ranges.filter(({ type }) => type === wanted).map(({ weight }) => weight))
  return weightOf(OPEN_METRICS) > 0 && weightOf(OPEN_METRICS) >= weightOf(TEXT)
}

/** @param {string} range  `type;version=1.0.0;q=0.5` */
function readRange (range) {
  const [type, ...parameters] = range.split(';').map(part => part.trim().toLowerCase())
  const written = parameters.find(parameter => parameter.startsWith('q='))
  const weight = written === undefined ? 1 : Number(written.slice(2))
  return { type, weight: weight >= 0 ? weight : 0 }
}

module.exports = { prefersOpenMetrics, writeExposition }
