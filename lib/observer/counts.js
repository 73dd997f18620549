'use strict'

// What the observer has counted since it started, which the metrics are read from: the counters of captures, of the admin surface and of calls to
// dependencies, and all counts together. The other parts count their own events.

const { BucketCounts } = require('../base/bucket-counts')
const { LabelCounts } = require('../base/label-counts')
const { monotonicMicros } = require('../base/monotonic')

/** @import { CaptureKind, Cause, Stall, Trigger } from '../../types/diagnostics' */
/** @import { RuleOutcome } from '../../types/rules' */
/** @import { BucketReading } from '../base/bucket-counts' */
/** @import { DestinationName } from '../shared/egress/destinations' */
/** @import { Admin } from './admin/admin' */
/** @import { EgressOutcome } from './egress/destination' */
/** @import { Egress } from './egress/egress' */
/** @import { FlagCount } from '../shared/sync-calls/flags' */
/** @import { SyncCallSum } from '../shared/sync-calls/totals' */
/** @import { MemoryWatch } from './memory/memory-watch' */
/** @import { StallRecords } from './stalls/stall-records' */
/** @import { PoolWaits } from './sync-calls/pool-probe' */
/** @import { SampledCalls } from './sync-calls/sampled-calls' */
/** @import { CallName } from '../probe/waits/call-names' */
/** @import { CallBatch } from '../probe/waits/dependency-calls' */

// A view of the past takes a fraction of a second, a recording of what follows up to five minutes.
const CAPTURE_SECONDS = Object.freeze([0.1, 0.5, 1, 5, 10, 30, 60, 120, 300])
// The bounds that OpenTelemetry advises for db.client.operation.duration.
const CALL_SECONDS = Object.freeze([0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10])

/** @type {readonly RefusalReason[]} */
const REFUSALS = Object.freeze(['missing', 'bad', 'scope', 'host', 'origin'])

/** @typedef {'ok' | 'failed' | 'cancelled' | 'skipped'} CaptureOutcome */
/** @typedef {'missing' | 'bad' | 'scope' | 'host' | 'origin'} RefusalReason */
/** @typedef {{ name: 'request', endpoint: string, code: number } | { name: 'authFailure', reason: RefusalReason }} AdminEvent */

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
 * @typedef {{ rule: string, outcome: RuleOutcome, count: number }} RuleTotal  count: of actions
 *
 * @typedef {object} ThreadTimes
 * @property {string} kind  the name that the application gave the threads, else their file
 * @property {number} busyMs
 * @property {number} stalls
 *
 * @typedef {CallName & { errors: number, reading: BucketReading }} CountedCalls
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

/** Captures: how many, how they ended and how long they took. */
class CaptureCounts {
  /** @type {LabelCounts<{ kind: CaptureKind, trigger: Trigger, outcome: CaptureOutcome }>} */
  #totals = new LabelCounts()
  /** @type {Map<CaptureKind, number>} */
  #inProgress = new Map()
  /** @type {Map<CaptureKind, BucketCounts>} */
  #durations = new Map()

  /**
   * Counts a capture and measures its duration.
   * @template T
   * @param {{ request: { kind: CaptureKind }, trigger: Trigger }} order
   * @param {AbortSignal} signal  aborted if the capture was cancelled
   * @param {() => Promise<T>} work
   */
  async around ({ request: { kind }, trigger }, signal, work) {
    const fromMicros = monotonicMicros()
    const end = (/** @type {CaptureOutcome} */ outcome) => {
      this.#addInProgress(kind, -1)
      this.count(kind, trigger, outcome)
      this.#durationsOf(kind).observe((monotonicMicros() - fromMicros) / 1e6)
    }
    this.#addInProgress(kind, 1)
    try {
      const result = await work()
      end('ok')
      return result
    } catch (error) {
      end(signal.aborted ? 'cancelled' : 'failed')
      throw error
    }
  }

  /** @param {CaptureKind} kind @param {Trigger} trigger @param {CaptureOutcome} outcome */
  count (kind, trigger, outcome) {
    this.#totals.add({ kind, trigger, outcome })
  }

  /** @param {CaptureKind} kind @param {number} change */
  #addInProgress (kind, change) {
    this.#inProgress.set(kind, (this.#inProgress.get(kind) ?? 0) + change)
  }

  /** @param {CaptureKind} kind */
  #durationsOf (kind) {
    const durations = this.#durations.get(kind) ?? new BucketCounts(CAPTURE_SECONDS)
    this.#durations.set(kind, durations)
    return durations
  }

  /** @returns {CaptureTotals} */
  counts () {
    return {
      totals: this.#totals.list(),
      inProgress: [...this.#inProgress].map(([kind, count]) => ({ kind, count })),
      durations: [...this.#durations].map(([kind, counts]) => ({ kind, reading: counts.read() }))
    }
  }
}

/** The requests of the admin surface: endpoints, status codes, and refusals. */
class RequestCounts {
  /** Endpoints and codes are closed sets. @type {LabelCounts<{ endpoint: string, code: number }>} */
  #requests = new LabelCounts()
  /** @type {LabelCounts<{ reason: RefusalReason }>} */
  #refusals = new LabelCounts()

  constructor () {
    for (const reason of REFUSALS) this.#refusals.add({ reason }, 0)
  }

  /** @param {AdminEvent} event */
  count (event) {
    if (event.name === 'authFailure') this.#refusals.add({ reason: event.reason })
    else this.#requests.add({ endpoint: event.endpoint, code: event.code })
  }

  /** @returns {AdminTotals} */
  counts () {
    return { requests: this.#requests.list(), refusals: this.#refusals.list() }
  }
}

/** The application's calls to its dependencies by name: how many, how long, how many failed. */
class CallCounts {
  /** By number. @type {(CallName & { errors: number, buckets: BucketCounts })[]} */
  #counted = []

  /** @param {CallBatch} batch */
  add ({ firstName, names, calls }) {
    names.forEach((name, index) => {
      this.#counted[firstName + index] ??= { ...name, errors: 0, buckets: new BucketCounts(CALL_SECONDS) }
    })
    for (let index = 0; index < calls.length; index += 2) {
      const counted = this.#counted[calls[index] >> 1]
      if (counted === undefined) continue
      counted.buckets.observe(calls[index + 1] / 1e6)
      counted.errors += calls[index] & 1
    }
  }

  /** @param {number} number @returns {CallName | undefined} */
  nameOf (number) {
    return this.#counted[number]
  }

  /** @returns {CountedCalls[]} */
  counts () {
    return this.#counted
      .map(({ kind, operation, target, errors, buckets }) => ({ kind, operation, target, errors, reading: buckets.read() }))
      .filter(({ reading }) => reading.count > 0)
  }
}

module.exports = { readCounts, CallCounts, CaptureCounts, RequestCounts }
