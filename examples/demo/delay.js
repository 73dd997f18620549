'use strict'

// Event-loop delay between two readings of an application's /metrics, as Prometheus would work it out. It measures nothing.

const MAX = 'nodejs_eventloop_delay_max_seconds '
const BUCKET = /^nodejs_eventloop_delay_seconds_bucket\{le="([^"]+)"\} (\S+)/

async function readDelay (url) {
  const response = await fetch(`${url}/metrics`)
  const lines = (await response.text()).split('\n')
  const buckets = lines.map(line => BUCKET.exec(line)).filter(Boolean)
  const max = lines.find(line => line.startsWith(MAX))
  if (buckets.length === 0 || max === undefined) throw new Error(`${url}/metrics answers ${response.status} without the loop's delay`)
  return {
    maxMs: Number(max.slice(MAX.length)) * 1e3,
    buckets: buckets.map(([, bound, count]) => ({ boundMs: bound === '+Inf' ? Infinity : Number(bound) * 1e3, count: Number(count) }))
  }
}

/** Between two readings of one process; in milliseconds. */
function delayBetween (before, after) {
  const buckets = after.buckets.map(({ boundMs, count }, index) => ({ boundMs, count: count - before.buckets[index].count }))
  // The gauge covers more than this time: when it did not rise, the longest delay is known only to its bucket.
  const isMaxExact = after.maxMs > before.maxMs
  const maxMs = isMaxExact ? after.maxMs : Math.min(after.maxMs, quantile(buckets, 1))
  return { p50Ms: Math.min(maxMs, quantile(buckets, 0.5)), p99Ms: Math.min(maxMs, quantile(buckets, 0.99)), maxMs, isMaxExact }
}

/** Interpolated inside its bucket, as histogram_quantile() does. */
function quantile (buckets, share) {
  const rank = share * buckets.at(-1).count
  const index = buckets.findIndex(({ count }) => count >= rank)
  const lower = buckets[index - 1] ?? { boundMs: 0, count: 0 }
  const { boundMs, count } = buckets[index]
  if (boundMs === Infinity || count === lower.count) return boundMs
  return lower.boundMs + (boundMs - lower.boundMs) * (rank - lower.count) / (count - lower.count)
}

module.exports = { readDelay, delayBetween }
