'use strict'

// The types of what the observer has counted since it started: the metrics are read from it. Each part counts its own events.

/** @import { CaptureKind, Cause, Stall, Trigger } from '../../types/diagnostics' */
/** @import { RuleOutcome } from '../../types/rules' */
/** @import { BucketReading } from '../base/bucket-counts' */
/** @import { DestinationName } from '../shared/egress/destinations' */
/** @import { Admin } from './admin/admin' */
/** @import { RefusalReason } from './admin/request-counts' */
/** @import { CaptureCounts, CaptureOutcome } from './capture-counts' */
/** @import { EgressOutcome } from './egress/destination' */
/** @import { Egress } from './egress/egress' */
/** @import { FlagCount } from '../shared/sync-calls/flags' */
/** @import { SyncCallSum } from '../shared/sync-calls/totals' */
/** @import { MemoryWatch } from './memory/memory-watch' */
/** @import { StallRecords } from './stalls/stall-records' */
/** @import { PoolWaits } from './sync-calls/pool-probe' */
/** @import { SampledCalls } from './sync-calls/sampled-calls' */
/** @import { CallCounts, CountedCalls } from './waits/call-counts' */

/**
 * @typedef {object} Counts
 * @property {StallCounts} stalls
 * @property {{ sampled: SyncCallSum[], flagged: FlagCount[] }} syncCalls
 * @property {{ queued: number, maxWaitMs: number }} pool
 * @property {CaptureTotals} captures
 * @property {AdminTotals} admin
 * @property {RuleTotal[]} rules
 * @property {ThreadTimes[]} threads  only with option threads
 * @property {ReturnType<MemoryWatch['counts']>} memory  null: not known
 * @property {EgressTotals} [egress]  undefined: no application has configured egress
 * @property {CountedCalls[]} calls  to the application's dependencies
 *
 * @typedef {object} StallCounts
 * @property {{ cause: Cause, count: number, seconds: number }[]} totals  a row for every cause, even if it is 0
 * @property {{ route: string | null, seconds: number }[]} routeTotals  null: stalls without a request or with an unknown route
 * @property {CountedStall[]} traced  the last stalls that have a trace, newest first
 *
 * @typedef {Pick<Stall, 'at' | 'durationMs' | 'cause' | 'route' | 'trace'>} CountedStall
 *
 * @typedef {object} CaptureTotals
 * @property {{ kind: CaptureKind, trigger: Trigger, outcome: CaptureOutcome, count: number }[]} totals
 * @property {{ kind: CaptureKind, count: number }[]} inProgress
 * @property {{ kind: CaptureKind, reading: BucketReading }[]} durations  in seconds
 *
 * @typedef {object} AdminTotals
 * @property {{ endpoint: string, code: number, count: number }[]} requests
 * @property {{ reason: RefusalReason, count: number }[]} refusals  a row for every reason, even if it is 0
 *
 * @typedef {{ rule: string, outcome: RuleOutcome, actions: number }} RuleTotal
 *
 * @typedef {object} ThreadTimes
 * @property {string} kind  the name that the application gave the threads, else their file
 * @property {number} busyMs
 * @property {number} stalls
 *
 * @typedef {object} EgressTotals
 * @property {{ to: DestinationName, outcome: EgressOutcome, count: number }[]} totals
 * @property {number} queueBytes  of this process, on disk
 */

/**
 * @param {object} parts
 * @param {Pick<StallRecords, 'counts'>} parts.stalls
 * @param {Pick<CallCounts, 'counts'>} parts.calls
 * @param {Pick<CaptureCounts, 'counts'>} parts.captures
 * @param {Pick<Admin, 'counts'>} parts.admin
 * @param {Pick<MemoryWatch, 'counts'>} parts.memory
 * @param {Pick<Egress, 'counts'> | undefined} parts.egress
 * @param {Pick<SampledCalls, 'counts'>} parts.sampledCalls
 * @param {Pick<PoolWaits, 'counts'>} parts.poolWaits
 * @returns {Counts}
 */
function readCounts ({ stalls, captures, admin, egress, memory, sampledCalls, poolWaits, calls }) {
  return {
    stalls: stalls.counts(),
    calls: calls.counts(),
    syncCalls: sampledCalls.counts(),
    pool: poolWaits.counts(),
    captures: captures.counts(),
    memory: memory.counts(),
    ...admin.counts(),
    egress: egress?.counts()
  }
}

module.exports = { readCounts }
