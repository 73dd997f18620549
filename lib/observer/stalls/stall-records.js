'use strict'

// What the observer keeps of the stalls, for those who ask while the main thread cannot answer: the reports, totals by cause
// and route, the profile of each of the last ones, and the one that lasts.

const { gunzipSync, gzipSync } = require('node:zlib')
const { monotonicMs } = require('../../shared/base/monotonic')
const { createStallLog } = require('../../shared/stalls/stall-log')

/** @import { CodeFrame, Culprit, Stall, Trace } from '../../../types/diagnostics' */
/** @import { CpuProfile } from '../../../types/profile' */

/** @typedef {{ at: number, durationMs: number, route: string | null, trace: Trace | null, culprit: Culprit | null, stack: CodeFrame[] }} LastingStall */

const MAX_ROUTES = 100 // as the metrics have them
const OTHER_ROUTES = '_other'
const MAX_PROFILE_BYTES = 4 * 1024 * 1024 // all together, compressed: a stall of a second is about 5 KB

function createStallRecords () {
  return new StallRecords()
}

class StallRecords {
  #log = createStallLog()
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

module.exports = { createStallRecords }
