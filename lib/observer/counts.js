'use strict'

// What the observer has counted since it started, as data: the metrics are read from it.

/** @import { Cause, Stall } from '../../types/diagnostics' */
/** @import { StallRecords } from './stalls/stall-records' */

/**
 * @typedef {object} Counts
 * @property {StallCounts} stalls
 *
 * @typedef {object} StallCounts
 * @property {{ cause: Cause, count: number, seconds: number }[]} totals  a row for every cause, also while it is 0
 * @property {{ route: string | null, seconds: number }[]} routeTotals  null: it stalled for no request, or its route is not known
 * @property {CountedStall[]} traced  the last ones of which the trace is known, newest first
 *
 * @typedef {Pick<Stall, 'at' | 'durationMs' | 'cause' | 'route' | 'trace'>} CountedStall
 */

/**
 * @param {{ stalls: Pick<StallRecords, 'counts'> }} parts
 * @returns {Counts}
 */
function readCounts ({ stalls }) {
  return { stalls: stalls.counts() }
}

module.exports = { readCounts }
