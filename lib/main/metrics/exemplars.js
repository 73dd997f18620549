'use strict'

// Exemplars: for a number, the trace of the newest stall that is counted in it, as prom-client has them. OpenMetrics shows them. Pure.

/** @import { Stall } from '../../../types/diagnostics' */

/** @typedef {Pick<Stall, 'at' | 'durationMs' | 'cause' | 'route' | 'trace'>} CountedStall */
/** @typedef {{ labelSet: Record<string, string>, value: number, timestamp: number }} Exemplar  value: how long it was; both in seconds */

/**
 * @param {readonly CountedStall[]} stalls
 * @returns {Exemplar[]} in the same order, of those that have a trace
 */
function exemplarsOf (stalls) {
  return stalls.flatMap(({ at, durationMs, trace }) => {
    if (trace === null) return []
    const value = durationMs / 1e3
    return [{ labelSet: { trace_id: trace.traceId, span_id: trace.spanId }, value, timestamp: at / 1e3 + value }]
  })
}

/**
 * @template Key
 * @param {readonly CountedStall[]} stalls  newest first
 * @param {(stall: CountedStall) => Key} keyOf
 * @returns {Map<Key, Exemplar>} the newest of each key
 */
function newestExemplars (stalls, keyOf) {
  // What comes later into a map of the same key wins: the newest.
  return new Map(stalls.toReversed().flatMap(stall => exemplarsOf([stall]).map(exemplar => [keyOf(stall), exemplar])))
}

module.exports = { exemplarsOf, newestExemplars }
