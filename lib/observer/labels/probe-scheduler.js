'use strict'

// Schedules the stack probes: at random moments, so that they show which functions run for which route. Only a busy process is probed, and less
// often when probes show nothing new.

const { guarded } = require('../../base/guard')
const { monotonicMs } = require('../../base/monotonic')
const { clearTimeout, setTimeout } = require('../../base/timers')

// For the cost of a probe in the main thread see bench/labels.js.
const FASTEST_MS = 120
// At first no function has a route: this many probes come faster, and as many again after a time in which none did.
const BOOST_MS = 30
const MAX_BOOSTS = 400
const MS_PER_BOOST = 3000
const SLOWEST_MS = 500
const SLOWER = 1.5

class ProbeScheduler {
  #parts
  #meanMs = FASTEST_MS
  #boostsLeft = MAX_BOOSTS
  #earnedMs = monotonicMs()
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /**
   * @param {object} parts
   * @param {() => boolean} parts.isBusy
   * @param {() => Promise<unknown>} parts.probe  takes a stack probe, resolves when the main thread has noted it
   */
  constructor (parts) {
    this.#parts = parts
  }

  get running () { return this.#timer !== undefined }

  /** Called when there may be work. It stops by itself when there is none. */
  start () {
    if (!this.running && this.#parts.isBusy()) this.#probeLater()
  }

  stop () {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** @param {boolean} isNew  the last probes showed something new */
  adapt (isNew) {
    this.#meanMs = isNew ? Math.max(FASTEST_MS, this.#meanMs / SLOWER) : Math.min(SLOWEST_MS, this.#meanMs * SLOWER)
  }

  #probeLater () {
    const ms = -Math.log(1 - Math.random()) * this.#nextMeanMs() // random, so that probes neither follow nor miss a rhythm of the application
    this.#timer = setTimeout(guarded(() => this.#probe()), ms).unref()
  }

  #nextMeanMs () {
    const earned = Math.floor((monotonicMs() - this.#earnedMs) / MS_PER_BOOST)
    this.#earnedMs += earned * MS_PER_BOOST
    this.#boostsLeft = Math.min(MAX_BOOSTS, this.#boostsLeft + earned)
    if (this.#meanMs > FASTEST_MS || this.#boostsLeft === 0) return this.#meanMs
    this.#boostsLeft--
    return BOOST_MS
  }

  async #probe () {
    const timer = this.#timer
    // While one probe waits for the main thread, no other is started.
    if (this.#parts.isBusy()) await this.#parts.probe().catch(() => {})
    if (this.#timer !== timer) return // stopped while waiting
    this.stop()
    this.start()
  }
}

module.exports = { ProbeScheduler, FASTEST_MS }
