'use strict'

// Whether who asks would rather have OpenMetrics than Prometheus' own text format. Prometheus says both, with weights. Pure.

const OPEN_METRICS = 'application/openmetrics-text'
const TEXT = 'text/plain'

/** @param {string} accept  the header */
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

module.exports = { prefersOpenMetrics }
