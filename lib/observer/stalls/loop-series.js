'use strict'

// The longest delay of each of the last seconds, kept by the observer, so that a page that is opened now can show the past.

const { everyByTimer } = require('../../shared/base/every')
const { monotonicMicros } = require('../../shared/base/monotonic')

/** @import { SharedState } from '../../bridge/shared-state' */
/** @import { Every } from '../../shared/base/every' */

const PERIOD_MS = 1000
const MAX_ENTRIES = 600 // ten minutes, as long as the recorder can look back

/** @param {{ state: SharedState, every?: Every, now?: () => number }} parts */
function createLoopSeries (parts) {
  return new LoopSeries(parts)
}

class LoopSeries {
  #state
  #every
  #now
  /** @type {{ at: number, maxDelayMs: number }[]} */
  #entries = []
  /** @type {(() => void) | undefined} */
  #end

  /** @param {Parameters<typeof createLoopSeries>[0]} parts */
  constructor ({ state, every = everyByTimer, now = Date.now }) {
    this.#state = state
    this.#every = every
    this.#now = now
  }

  get running () { return this.#end !== undefined }

  start () {
    this.#end ??= this.#every(PERIOD_MS, () => this.#add())
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

module.exports = { createLoopSeries }
