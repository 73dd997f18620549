'use strict'

// What the observer keeps of the loop's past, for requests that come while the main thread cannot answer: the reports of stalls, totals by
// cause and route, the profile of each of the last ones and the stall that lasts; and the longest delay of each of the last seconds.

const { gunzipSync, gzipSync } = require('node:zlib')
const { intervalByTimer } = require('../../shared/base/timers')
const { monotonicMicros, monotonicMs } = require('../../shared/base/monotonic')
const { StallLog } = require('../../shared/stalls/stall-log')

/** @import { CodeFrame, Culprit, Stall, Trace } from '../../../types/diagnostics' */
/** @import { CpuProfile } from '../../../types/profile' */
/** @import { SharedState } from '../../bridge/shared-state' */
/** @import { StartInterval } from '../../shared/base/timers' */

/** @typedef {{ at: number, durationMs: number, route: string | null, trace: Trace | null, culprit: Culprit | null, stack: CodeFrame[] }} LastingStall */

const MAX_ROUTES = 100 // as the metrics have them
const OTHER_ROUTES = '_other'
const MAX_PROFILE_BYTES = 4 * 1024 * 1024 // all together, compressed: a stall of a second is about 5 KB
const SERIES_PERIOD_MS = 1000
const MAX_ENTRIES = 600 // ten minutes, as long as the recorder can look back

class StallRecords {
  #log = new StallLog()
  /** @type {Map<string | null, { route: string | null, count: number, ms: number }>} */
  #routes = new Map()
  /** Oldest first. @type {Map<number, Uint8Array>} */
  #profiles = new Map()
  #profileBytes = 0
  /** @type {{ stall: LastingStall, sinceMs: number, isStill: () => boolean } | undefined} */
  #lasting

  /** @param {Stall} stall */
  add (stall) {
    this.#log.add(stall)
    const known = this.#routes.has(stall.route) || this.#routes.size < MAX_ROUTES
    const route = known ? stall.route : OTHER_ROUTES
    const total = this.#routes.get(route) ?? { route, count: 0, ms: 0 }
    total.count++
    total.ms += stall.durationMs
    this.#routes.set(route, total)
  }

  /**
   * @param {Stall} stall  of which more is known than before
   * @returns {boolean} false: there is none to be replaced
   */
  replace (stall) {
    return this.#log.replace(stall)
  }

  /**
   * @param {number} id
   * @param {CpuProfile} profile
   */
  keepProfile (id, profile) {
    // A copy: what zlib returns is a piece of 16 kB or more, all of which it would keep.
    const bytes = new Uint8Array(gzipSync(JSON.stringify(profile), { level: 1 }))
    this.#profiles.set(id, bytes)
    this.#profileBytes += bytes.length
    for (const [oldest, { length }] of this.#profiles) {
      if (this.#profileBytes <= MAX_PROFILE_BYTES || oldest === id) break
      this.#profiles.delete(oldest)
      this.#profileBytes -= length
    }
  }

  /**
   * @param {number} id
   * @returns {CpuProfile | null} null when it is not kept any more, or never was
   */
  profile (id) {
    const bytes = this.#profiles.get(id)
    return bytes === undefined ? null : JSON.parse(gunzipSync(bytes).toString())
  }

  /**
   * @param {LastingStall} stall
   * @param {() => boolean} isStill
   */
  setLasting (stall, isStill) {
    this.#lasting = { stall, sinceMs: monotonicMs() - stall.durationMs, isStill }
  }

  read () {
    const totals = this.#log.totals()
    return {
      stalls: this.#log.list(),
      current: this.#lasting?.isStill() ? { ...this.#lasting.stall, durationMs: Math.round(monotonicMs() - this.#lasting.sinceMs) } : null,
      totals: {
        count: totals.reduce((sum, { count }) => sum + count, 0),
        blockedMs: Math.round(totals.reduce((sum, { seconds }) => sum + seconds, 0) * 1e3),
        byCause: totals.map(({ cause, count, seconds }) => ({ cause, count, ms: Math.round(seconds * 1e3) })),
        byRoute: [...this.#routes.values()].sort((a, b) => b.ms - a.ms)
      }
    }
  }
}

/** The longest delay of each of the last seconds, so that a page that is opened now can show the past. */
class LoopSeries {
  #state
  #interval
  #now
  /** @type {{ at: number, maxDelayMs: number }[]} */
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

  /** Oldest first; the second in which the loop is stuck now holds the time so far. */
  list () {
    return [...this.#entries]
  }

  /** The heartbeat is slow. */
  get isIdle () { return this.#state.isIdle }

  /** How long the loop has been stuck, 0 while it turns. */
  blockedMs () {
    const { tickMicros, periodMs } = this.#state
    if (tickMicros === 0) return 0
    // Twice the period is still what a loop with work looks like.
    const lateMs = (monotonicMicros() - tickMicros) / 1e3 - periodMs
    return lateMs > periodMs ? lateMs : 0
  }

  #add () {
    const maxDelayMs = Math.max(this.#state.takeMaxDelayMs(), this.blockedMs())
    this.#entries.push({ at: this.#now(), maxDelayMs: Math.round(maxDelayMs * 10) / 10 })
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift()
  }
}

module.exports = { StallRecords, LoopSeries }
