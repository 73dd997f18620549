'use strict'

// Everything that is known of the loop's delay, in one object for people.

/** @import { DelaySummary } from '../../../types/diagnostics' */
/** @import { createDelayHistogram } from './delay-histogram' */

/**
 * @param {object} parts
 * @param {Pick<ReturnType<typeof createDelayHistogram>, 'read' | 'quantileMs' | 'maxMs' | 'recentMaxMs'>} parts.delay
 * @param {{ read (): DelaySummary['iterations'] }} parts.iterations
 * @param {{ read (): { utilization: number } }} parts.utilization
 * @returns {DelaySummary}
 */
function summarizeDelay ({ delay, iterations, utilization }) {
  const { count, sum } = delay.read()
  return {
    count,
    meanMs: count === 0 ? 0 : sum * 1e3 / count,
    p50Ms: delay.quantileMs(0.5),
    p90Ms: delay.quantileMs(0.9),
    p99Ms: delay.quantileMs(0.99),
    maxMs: delay.maxMs,
    recentMaxMs: delay.recentMaxMs,
    utilization: utilization.read().utilization,
    iterations: iterations.read()
  }
}

module.exports = { summarizeDelay }
