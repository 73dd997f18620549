'use strict'

// Keeps the past of the loop: the reports of the last stalls, totals by cause and route, profiles of the last stalls, the stall that lasts
// now, and the longest delay of each of the last seconds. Totals are never reset; the lists are bounded.

const { sum } = require('../../base/sums')
const { intervalByTimer } = require('../../base/timers')
const { monotonicMicros, monotonicMs } = require('../../base/monotonic')
const { CAUSE_NAMES } = require('../../shared/stalls/evidence-text')
const { MAX_STALLS } = require('../../shared/stalls/stall')

/** @import { CodeFrame, Culprit, Stall, Trace } from '../../../types/diagnostics' */
/** @import { CpuProfile } from '../../../types/profile' */
/** @import { SharedState } from '../../link/shared-state' */
/** @import { StallCounts } from '../counts' */
/** @import { StartInterval } from '../../base/timers' */

/** @typedef {{ at: number, durationMs: number, route: string | null, trace: Trace | null, culprit: Culprit | null, stack: CodeFrame[] }} LastingStall */

const zlib = () => process.getBuiltinModule('node:zlib') // loaded with the first profile

const MAX_ROUTES = 100 // the same limit as in the metrics
const OTHER_ROUTES = '_other'
const MAX_PROFILE_BYTES = 4 * 1024 * 1024 // of all profiles together, compressed: a stall of a second is about 5 KB
const SERIES_PERIOD_MS = 1000
const MAX_ENTRIES = 600 // ten minutes, as far back as the recorder reaches

class StallRecords {
  /** Oldest first. @type {Stall[]} */
  #stalls = []
  #causes = new Map(CAUSE_NAMES.map(cause => [cause, { cause, count: 0, seconds: 0 }]))
  /** @type {Map<string | null, { route: string | null, count: number, seconds: number }>} */
  #routes = new Map()
  /** Oldest first. @type {Map<number, Uint8Array>} */
  #profiles = new Map()
  #profileBytes = 0
  /** @type {{ stall: LastingStall, sinceMs: number, isStill: () => boolean } | undefined} */
  #lasting

  /** @param {Stall} stall */
  add (stall) {
    this.#stalls.push(stall)
    if (this.#stalls.length > MAX_STALLS) this.#stalls.shift()
    const route = this.#routes.has(stall.route) || this.#routes.size < MAX_ROUTES ? stall.route : OTHER_ROUTES
    const ofRoute = this.#routes.get(route) ?? { route, count: 0, seconds: 0 }
    this.#routes.set(route, ofRoute)
    for (const total of [this.#causes.get(stall.cause), ofRoute]) {
      if (total === undefined) continue
      total.count++
      total.seconds += stall.durationMs / 1e3
    }
  }

  /**
   * Completes a stall that was reported without its original positions.
   * @param {number} id
   * @param {Pick<Stall, 'culprit' | 'stack'>} known
   */
  update (id, { culprit, stack }) {
    const index = this.#stalls.findLastIndex(stall => stall.id === id)
    if (index !== -1) this.#stalls[index] = { ...this.#stalls[index], culprit, stack }
  }

  /** Newest first. */
  list () {
    return this.#stalls.toReversed()
  }

  /** @returns {StallCounts} */
  counts () {
    const traced = this.list().filter(({ trace }) => trace !== null)
    return {
      totals: [...this.#causes.values()].map(total => ({ ...total })),
      routeTotals: [...this.#routes.values()].map(({ route, seconds }) => ({ route, seconds })),
      traced: traced.map(({ at, durationMs, cause, route, trace }) => ({ at, durationMs, cause, route, trace }))
    }
  }

  /** @param {number} id @param {CpuProfile} profile */
  keepProfile (id, profile) {
    // A copy: zlib returns a slice of a buffer of 16 kB or more, and keeping the slice would keep the whole buffer.
    const bytes = new Uint8Array(zlib().gzipSync(JSON.stringify(profile), { level: 1 }))
    this.#profiles.set(id, bytes)
    this.#profileBytes += bytes.length
    for (const [oldest, { length }] of this.#profiles) {
      if (this.#profileBytes <= MAX_PROFILE_BYTES || oldest === id) break
      this.#profiles.delete(oldest)
      this.#profileBytes -= length
    }
  }

  /** @param {number} id @returns {CpuProfile | null} null when it was evicted or never kept */
  profile (id) {
    const bytes = this.#profiles.get(id)
    return bytes === undefined ? null : JSON.parse(zlib().gunzipSync(bytes).toString())
  }

  /** @param {LastingStall} stall @param {() => boolean} isStill */
  setLasting (stall, isStill) {
    this.#lasting = { stall, sinceMs: monotonicMs() - stall.durationMs, isStill }
  }

  read () {
    const causes = [...this.#causes.values()]
    const routes = [...this.#routes.values()]
    return {
      stalls: this.list(),
      current: this.#lasting?.isStill() ? { ...this.#lasting.stall, durationMs: Math.round(monotonicMs() - this.#lasting.sinceMs) } : null,
      totals: {
        count: sum(causes, ({ count }) => count),
        blockedMs: Math.round(sum(causes, ({ seconds }) => seconds) * 1e3),
        byCause: causes.map(({ cause, count, seconds }) => ({ cause, count, ms: Math.round(seconds * 1e3) })),
        byRoute: routes.map(({ route, count, seconds }) => ({ route, count, ms: Math.round(seconds * 1e3) })).sort((a, b) => b.ms - a.ms)
      }
    }
  }
}

/**
 * @typedef {object} LoopSecond
 * @property {number} at
 * @property {number} maxDelayMs  the longest delay in it
 * @property {number | null} utilization  of the half minute before; null while the loop is blocked
 * @property {number} answered    requests since the start
 */

/** What the loop did in each of the last seconds, so that a page opened now can show the past. */
class LoopSeries {
  #state
  #interval
  #now
  /** @type {LoopSecond[]} */
  #entries = []
  /** @type {(() => void) | undefined} */
  #end

  /** @param {{ state: SharedState, interval?: StartInterval, now?: () => number }} parts */
  constructor ({ state, interval = intervalByTimer, now = Date.now }) {
    this.#state = state
    this.#interval = interval
    this.#now = now
  }

  get running () { return this.#end !== undefined }

  start () {
    this.#end ??= this.#interval(SERIES_PERIOD_MS, () => this.#add())
  }

  stop () {
    this.#end?.()
    this.#end = undefined
  }

  /** Oldest first. For the second in which the loop is stuck now, the time so far. */
  list () {
    return [...this.#entries]
  }

  /** Requests answered since the start and in flight: of now, also while the loop is blocked. */
  get requests () { return this.#state.requests }

  /** Whether the heartbeat is slow. */
  get isIdle () { return this.#state.isIdle }

  /** How long the loop has been stuck, 0 while it turns. */
  blockedMs () {
    const { tickMicros, periodMs } = this.#state
    if (tickMicros === 0) return 0
    // A busy loop can be late by up to twice the period.
    const lateMs = (monotonicMicros() - tickMicros) / 1e3 - periodMs
    return lateMs > periodMs ? lateMs : 0
  }

  #add () {
    const { utilization, requests: { answered } } = this.#state
    const blockedMs = this.blockedMs()
    const maxDelayMs = Math.max(this.#state.takeMaxDelayMs(), blockedMs)
    this.#entries.push({
      at: this.#now(),
      maxDelayMs: Math.round(maxDelayMs * 10) / 10,
      utilization: blockedMs > 0 ? null : Math.round(utilization * 1e3) / 1e3,
      answered
    })
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift()
  }
}

module.exports = { StallRecords, LoopSeries }
